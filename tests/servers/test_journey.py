"""What a person does with a memory, the same through every door, from beginning to end."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faces.memory.journey import MARIA, walk
from tests.servers.doors import DOORS
from tests.serving import Stage, stage

import recollect

__all__ = ["stage"]


@pytest.mark.parametrize("name", DOORS)
def test_the_whole_way_is_gone_through_every_door(name: str, tmp_path: Path, stage: Stage) -> None:
    path = tmp_path / "memory.db"
    with recollect.memory(str(path), group="decoy") as decoy:
        decoy.remember(facts=[{**MARIA[0], "object": "Decoy"}])
    with DOORS[name](path, stage) as door:
        walk(door.memory)

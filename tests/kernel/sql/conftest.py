"""A twin on the server of the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.kernel.sql.twin import Twin


@pytest.fixture(scope="session")
def twin(database: str) -> Iterator[Twin]:
    """A store on a server, empty."""
    with closing(Twin(database, "twin")) as twin:
        yield twin

"""Four lives, told as people tell them, and a hundred questions about them in other words.

The rule: what is expected are the keys of what answers; a question without any has no answer among
what was told. Many are German or Spanish, or ask of a relative. They were written before what
recall does with them was looked at. Every second one of a life was kept apart, and they alone are
measured; what they failed was in sight when everyday words and floors were chosen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict


class Told(TypedDict, total=False):
    """What is told: a fact, a text, or messages that say first by whom they are."""

    fact: dict[str, str]
    text: str
    messages: list[str]


class Life(TypedDict):
    """What is told of a life, what is asked of it, and by whom."""

    asker: str | None
    told: list[tuple[str, Told]]
    asked: list[tuple[str, list[str]]]


def lives() -> list[Life]:
    """Return the lives of `lives.json`."""
    found: list[Life] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return found

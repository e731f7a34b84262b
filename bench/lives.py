"""What is told of lives, and questions about them in other words.

The rule: what is expected are the keys of what answers; a question without any has no answer among
what was told. All were written before what recall does with them was looked at; what they failed
was in sight when everyday words and floors were chosen. Many are German or Spanish, or ask of a
relative. `lives.json` has four lives, told as people tell them; every second question of a life was
kept apart, and they alone are measured. `strangers.json` has nine sets of facts about three people
each, by writers who had not seen the code; all of its questions are measured.
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
    """Return the lives of `lives.json`, each with the questions that were kept apart."""
    return [{**one, "asked": one["asked"][1::2]} for one in _read("lives.json")]


def strangers() -> list[Life]:
    """Return the sets of `strangers.json`."""
    return _read("strangers.json")


def _read(name: str) -> list[Life]:
    found: list[Life] = json.loads(Path(__file__).with_name(name).read_text("utf-8"))
    return found

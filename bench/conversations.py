"""How much of the evidence of questions recall finds: `python -m bench.conversations FILE [NAME]`.

FILE is a list of conversations, each with its `turns` (id, session, when, speaker, text) and
`questions` (question, category, ids of the evidence), as the makers of LoCoMo published them. The
turns go in by AddMessages, the session as `source_description`. R@10 is the share of a question's
evidence among the first ten, averaged over questions, each asked inside its own conversation.
NAME is that of an embedder, such as `minilm`, that the memory is opened with.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypedDict

import recollect
from recollect import Nexus
from recollect.faces.operations import Operations
from recollect.faces.operations.inputs import Message
from recollect.model import Instant, instant_text
from recollect.servers.settings import EmbeddingSettings
from recollect.servers.wiring import make_embedder

GROUP = "talk"
FIRST = 10

_AT_ONCE = 100
_WHEN = "%I:%M %p on %d %B, %Y"
_TURN = re.compile(r"D\d+:\d+")


class Conversation(TypedDict):
    """One conversation of the file."""

    conversation: str
    turns: list[tuple[str, int, str, str, str]]
    questions: list[tuple[str, int, list[str]]]


def main() -> None:
    """Print R@10 of all, of each category, and how long a question takes."""
    talks: list[Conversation] = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    found: list[tuple[int, float, float]] = []
    named = sys.argv[2:]
    embedder = make_embedder(EmbeddingSettings(named[0])) if named else None
    for talk in talks:
        with recollect.open(":memory:", group=GROUP, embedder=embedder) as nexus:
            found += _asked(nexus, talk, _told(nexus, talk))
    times = sorted(one for _, _, one in found)
    print(f"R@{FIRST} {statistics.mean(one for _, one, _ in found):.4f} of {len(found)} questions")
    for category in sorted({one for one, _, _ in found}):
        own = [share for one, share, _ in found if one == category]
        print(f"  category {category}: {statistics.mean(own):.3f} of {len(own)}")
    print(f"median {times[len(times) // 2]:.1f} ms, 95 of 100 {times[len(times) * 95 // 100]:.1f}")


def _told(nexus: Nexus, talk: Conversation) -> dict[str, str]:
    """Tell a conversation, and return the turns by the ids of their episodes."""
    messages: list[Message] = []
    said = Counter[int]()
    for _, session, when, speaker, text in talk["turns"]:
        at = datetime.strptime(when, _WHEN).replace(tzinfo=UTC) + timedelta(seconds=said[session])
        said[session] += 1
        messages.append(
            {
                "uuid": f"turn-{len(messages)}",
                "role_type": "user",
                "role": speaker,
                "content": text,
                "timestamp": instant_text(Instant(int(at.timestamp() * 1_000))),
                "source_description": f"session {session}",
            }
        )
    with Operations(nexus, worker=False) as operations:
        for first in range(0, len(messages), _AT_ONCE):
            operations.add_messages(group_id=GROUP, messages=messages[first : first + _AT_ONCE])
    return {f"turn-{at}": turn[0] for at, turn in enumerate(talk["turns"])}


def _asked(
    nexus: Nexus, talk: Conversation, turns: dict[str, str]
) -> Iterator[tuple[int, float, float]]:
    """Yield the category of each question, its share of evidence, and its milliseconds."""
    known = set(turns.values())
    for question, category, evidence in talk["questions"]:
        gold = _named(evidence) & known
        if not gold:
            continue
        begin = time.perf_counter()
        memories = nexus.recall(question, limit=FIRST).memories
        took = 1_000 * (time.perf_counter() - begin)
        found = {turns[one.element.element.id] for one in memories}
        yield category, len(gold & found) / len(gold), took


def _named(evidence: Sequence[str]) -> set[str]:
    return {turn for one in evidence for turn in _TURN.findall(str(one))}


if __name__ == "__main__":
    main()

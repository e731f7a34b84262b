"""A memory on a server and its twin in a file answer the same words with the same bytes.

The rule: an example begins as a dump of the file's group, restored on the server: ids of both are
drawn alike from there on. Both know one clock, which the example moves. What is beside the group,
its own names and other edges, is no part of any answer.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings, strategies as st
from tests.reference.graphs import graphs
from tests.reference.queries import Question, questions
from tests.reference.vocabulary import LINKS
from tests.reference.writes import mutations

import postgres
import recollect
from recollect.faces.kip import execute_kip, execute_kip_readonly
from recollect.faces.memory import Memory
from recollect.kernel import Nexus
from recollect.kernel.lang import ast, print_text
from recollect.model import Instant, instant_text

LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]
SEARCHES = ('SEARCH CONCEPT "a b"', 'SEARCH PROPOSITION "p" LIMIT 2', 'SEARCH CONCEPT "中文 é 1"')
RECALLS = ("what is a?", "b and ab", "p 中文")
DESCRIBED = ("DESCRIBE CONCEPT TYPES", "DESCRIBE PRIMER", 'DESCRIBE PROPOSITION TYPE "p"')
FIRST, STEP = 1_700_000_000_000, 60_000
TOLD = 'UPSERT { CONCEPT ?a { {type: "T", name: "first"} SET ATTRIBUTES { k: 1 } } }'

pytestmark = pytest.mark.sqlite_only("has a memory of each engine by itself")


@dataclass
class Clock:
    """One moment for both."""

    now: int = FIRST

    def __call__(self) -> Instant:
        return Instant(self.now)


@dataclass(frozen=True)
class Twins:
    """A file and a server, and the clock that they have in common."""

    file: Nexus
    served: Nexus
    clock: Clock

    def __post_init__(self) -> None:
        self.file.write(TOLD)
        self.served.write(TOLD.replace("first", "decoy"))

    def group(self, name: str) -> Pair:
        """Give a new group of each, alike to the bit that ids are drawn from."""
        file, dump = self.file.group(name), BytesIO()
        file.write(TOLD)
        file.dump(dump)
        dump.seek(0)
        self.served.restore(dump)
        return Pair(file, self.served.group(name), self.clock)

    def drop(self, name: str) -> None:
        for nexus in (self.file, self.served):
            nexus.drop_group(name)


class Pair(Twins):
    """One group on both."""

    def __post_init__(self) -> None:
        """Begin with what was restored."""


@pytest.fixture(scope="module")
def twins(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    path: Path = tmp_path_factory.mktemp("twins") / "memory.db"
    clock = Clock()
    with (
        postgres.schema(database) as address,
        recollect.open(path, group="decoy", synchronous="normal", clock=clock) as file,
        recollect.open(address, group="decoy", clock=clock) as served,
    ):
        yield Twins(file, served, clock)


def told(answer: object) -> bytes:
    return json.dumps(answer, ensure_ascii=False, default=str).encode()


def same(both: Pair, ask: Any, *arguments: object, **named: object) -> bytes:
    ours, theirs = (told(ask(nexus, *arguments, **named)) for nexus in (both.file, both.served))
    assert theirs == ours
    return ours


def pages(
    nexus: Nexus, text: str, parameters: dict[str, object], as_of: dict[str, str] | None
) -> list[object]:
    """Return the pages of an answer, without the texts that lead on: they are of their store."""
    asked, given_too, found = text, parameters, []
    for _ in range(3):
        answer: Any = execute_kip_readonly(nexus, asked, parameters=given_too, as_of=as_of)  # type: ignore[arg-type]
        cursor = answer["result"].pop("next_cursor", None) if "result" in answer else None
        found.append((answer, cursor is not None))
        if cursor is None:
            break
        asked, given_too = f"{text} CURSOR $next", {**parameters, "next": cursor}
    return found


def recalled(nexus: Nexus, question: str, as_of: dict[str, str] | None) -> object:
    return asdict(Memory(nexus).recall(question, as_of=as_of))  # type: ignore[call-overload]


def link_ids(nexus: Nexus) -> dict[str, object]:
    """Return the placeholders for links with ids of links that are there, or with none's."""
    found = nexus.read("FIND(?l.id) WHERE { ?l (?s, ?p, ?o) } LIMIT 6").results[0].rows
    ids = [row[0] for row in found]
    return {name: ids[at] if at < len(ids) else "none" for at, name in enumerate(LINKS)}


NUMBERS = itertools.count()


QUESTIONS = st.one_of(
    questions(1, is_grouped=False, names_links=True),
    questions(1, is_grouped=True, names_links=True),
)


def test_writes_reads_the_past_searches_and_recalls_answer_alike(
    twins: Twins, request: pytest.FixtureRequest
) -> None:
    @settings(max_examples=request.config.getoption("--twins"), suppress_health_check=LARGE)
    @given(
        graphs(),
        st.lists(mutations, min_size=1, max_size=4),
        st.lists(QUESTIONS, min_size=1, max_size=4),
        st.integers(0, 5),
    )
    def check(
        graph: ast.Upsert, statements: list[ast.Mutation], asked: list[Question], back: int
    ) -> None:
        name = f"g{next(NUMBERS)}"
        tell_and_ask(twins.group(name), graph, statements, asked, back)
        twins.drop(name)

    check()


def tell_and_ask(
    both: Pair,
    graph: ast.Upsert,
    statements: list[ast.Mutation],
    asked: list[Question],
    back: int,
) -> None:
    for statement in (graph, *statements):
        both.clock.now += STEP
        note(print_text(statement))
        answer = same(both, execute_kip, print_text(statement), actor="me")
        assert statement is not graph or b"error" not in answer
    both.clock.now += STEP
    then = instant_text(Instant(both.clock.now - back * STEP - 1))
    parameters = link_ids(both.file)
    for question in asked:
        text, given_too = print_text(question.query), {**parameters, **question.parameters}
        note(f"{text} with {given_too} as of {then}")
        for as_of in (None, {"known": then}, {"valid": then}):
            same(both, pages, text, given_too, as_of)
    for text in SEARCHES:
        for as_of in (None, {"known": then}):
            assert b"error" not in same(both, execute_kip_readonly, text, as_of=as_of)
    for text in DESCRIBED:
        same(both, execute_kip_readonly, text)
    for text in RECALLS:
        for past in (None, {"known": then}):
            same(both, recalled, text, past)

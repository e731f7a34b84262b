"""What a caller may pass: anything else is refused in the words of the registry."""

from __future__ import annotations

import io
import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import RecollectError
from recollect.kernel import Nexus, parse_text
from recollect.model import (
    AsOf,
    Change,
    ConceptRecord,
    Delete,
    ElementKind,
    Found,
    Instant,
    Key,
    Limits,
    Local,
    PutConcept,
    PutFact,
    PutLink,
    RemoveKeys,
)

SURROGATE = "\ud800"


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with Nexus.open(":memory:") as nexus:
        yield nexus


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(RecollectError) as caught:
        action()
    return caught.value.code.code


@pytest.mark.parametrize(
    "change",
    [
        Delete(SURROGATE),
        Delete(Key(SURROGATE, "x")),
        Delete(Key("T", SURROGATE)),
        PutConcept(SURROGATE, "x"),
        PutConcept("T", SURROGATE),
        PutConcept("T", "x", id=SURROGATE),
        PutConcept(["T"], "x"),  # type: ignore[arg-type]
        PutConcept("T", None),  # type: ignore[arg-type]
        PutLink(Key("T", "a"), ["p"], Key("T", "b")),  # type: ignore[arg-type]
        PutLink(Key("T", "a"), "p", Key(["T"], "b")),  # type: ignore[arg-type]
        PutLink(Key("T", "a"), "p", Key("T", "b"), id=SURROGATE),
    ],
)
def test_a_change_that_names_something_by_no_text_is_refused(nexus: Nexus, change: Change) -> None:
    nexus.write([PutConcept("T", "a"), PutConcept("T", "b")])
    assert code_of(lambda: nexus.write([change])) == "KIP_2003"


@pytest.mark.parametrize(
    "value",
    [
        uuid.uuid4(),
        {"a": [uuid.uuid4()]},
        (1, 2),
        float("nan"),
        2**63,
        "a\0b",
        SURROGATE,
        {1: 2},
        Path("a"),
    ],
)
def test_a_value_that_is_not_json_is_refused(nexus: Nexus, value: Any) -> None:
    assert code_of(lambda: nexus.write([PutConcept("T", "x", {"v": value})])) == "KIP_2003"
    assert nexus.groups() == []


def test_a_value_that_nests_without_end_is_refused(nexus: Nexus) -> None:
    value: list[Any] = []
    value.append(value)
    assert code_of(lambda: nexus.write([PutConcept("T", "x", {"v": value})])) == "KIP_4002"


@pytest.mark.parametrize("limit", [-1, None, "10", 1.5, True])
def test_a_search_wants_a_whole_number_as_its_limit(nexus: Nexus, limit: Any) -> None:
    assert code_of(lambda: nexus.search("x", limit=limit)) == "KIP_1001"


@pytest.mark.parametrize("limit", [-1, None, "10", 1.5, True, float("nan")])
def test_facts_are_ranked_to_a_whole_number(nexus: Nexus, limit: Any) -> None:
    fact = PutFact(Key("T", "a"), "knows", Key("T", "a"), "x knows itself")
    nexus.write([PutConcept("T", "a"), fact])
    assert code_of(lambda: nexus.elements.rank_facts("x", limit, through="T")) == "KIP_1001"
    assert len(nexus.elements.rank_facts("x", 2**63, through="T")) == 1


@pytest.mark.parametrize(
    ("term", "through"), [(None, "T"), (b"x", "T"), ("x", SURROGATE), ("x", 5)]
)
def test_facts_are_ranked_by_a_text_through_a_type(nexus: Nexus, term: Any, through: Any) -> None:
    assert code_of(lambda: nexus.elements.rank_facts(term, through=through)) == "KIP_2003"


@pytest.mark.parametrize("term", [5, None, "", b"x", SURROGATE])
def test_a_search_wants_a_text(nexus: Nexus, term: Any) -> None:
    assert code_of(lambda: nexus.search(term)) == "KIP_2003"


@pytest.mark.parametrize(
    "as_of",
    [
        AsOf(valid="x"),  # type: ignore[arg-type]
        AsOf(valid=Instant(2**63)),
        AsOf(known=1.5),  # type: ignore[arg-type]
        AsOf(known=True),
    ],
)
def test_a_point_in_time_is_a_whole_number(nexus: Nexus, as_of: AsOf) -> None:
    query = "FIND(?x) WHERE { ?x {type: $t} }"
    assert code_of(lambda: nexus.read(query, {"t": "T"}, as_of=as_of)) == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "settings",
    [
        {"synchronous": "full; DROP TABLE grp"},
        {"synchronous": "off"},
        {"busy_seconds": -1.0},
        {"busy_seconds": float("nan")},
        {"busy_seconds": float("inf")},
        {"busy_seconds": "soon"},
        {"busy_seconds": None},
        {"search_mode": "guess"},
        {"group": ""},
        {"group": "a\nb"},
        {"embedder": "words"},
        {"limits": 5},
    ],
)
def test_settings_that_mean_nothing_are_refused_before_a_file_is_made(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    path = tmp_path / "memory.db"
    assert code_of(lambda: Nexus.open(path, **settings)) == "INVALID_ARGUMENT"
    assert not path.exists()


@pytest.mark.parametrize("address", ["a" * 300, "a\ud800.db", "a\0b", "circle/memory.db", "circle"])
def test_an_address_that_no_file_can_have_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.symlink("circle", "circle")
    assert code_of(lambda: Nexus.open(address)) == "INVALID_ARGUMENT"


def test_a_store_is_where_it_was_opened_whatever_the_folder_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Nexus.open("memory.db") as nexus:
        monkeypatch.chdir("/")
        nexus.write([PutConcept("T", "x")])
        assert nexus.stats().size_bytes > 0
        assert nexus.path == tmp_path.resolve() / "memory.db"


def test_names_of_groups_that_look_alike_are_one_group(nexus: Nexus) -> None:
    decomposed = nexus.group("cafe\u0301")
    decomposed.write([PutConcept("T", "x")])
    assert decomposed.group_name == "caf\u00e9"
    assert nexus.group("caf\u00e9").stats().concepts == 1
    assert nexus.groups() == ["caf\u00e9"]


@pytest.mark.parametrize(
    "text",
    ['DELETE CONCEPT {type: "T", name: "x"} DETACH', 'FIND(?x) WHERE { ?x {type: "T"} }'],
)
def test_a_write_that_changes_nothing_leaves_no_group(nexus: Nexus, text: str) -> None:
    ghost = nexus.group("ghost")
    ghost.write(text)
    ghost.write([])
    assert nexus.groups() == []
    ghost.write([PutConcept("T", "x")])
    assert nexus.groups() == ["ghost"]
    assert ghost.stats().transactions == 1


@pytest.mark.parametrize("name", [3, None, b"default", "", "a\nb"])
def test_a_group_wants_a_printable_name(nexus: Nexus, name: Any) -> None:
    assert code_of(lambda: nexus.group(name)) == "INVALID_ARGUMENT"


@pytest.mark.parametrize("text", [None, 3, b"DESCRIBE PRIMER", {}])
def test_a_text_is_a_string(nexus: Nexus, text: Any) -> None:
    assert code_of(lambda: nexus.read(text)) == "INVALID_ARGUMENT"
    assert code_of(lambda: nexus.write(text)) == "INVALID_ARGUMENT"
    assert code_of(lambda: parse_text(text, nexus.limits)) == "INVALID_ARGUMENT"


@pytest.mark.parametrize("as_of", ["2020", 3, {"known": "2020"}])
def test_a_point_in_time_is_an_as_of(nexus: Nexus, as_of: Any) -> None:
    assert code_of(lambda: nexus.read("DESCRIBE PRIMER", as_of=as_of)) == "INVALID_ARGUMENT"


@pytest.mark.parametrize("parameters", [["t"], "t", 3, {5: "t"}, {None: "t"}])
def test_parameters_are_named(nexus: Nexus, parameters: Any) -> None:
    assert code_of(lambda: nexus.read("DESCRIBE PRIMER", parameters)) == "KIP_2003"


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        (None, 'use a path such as "memory.db"'),
        (b"memory.db", 'use a path such as "memory.db"'),
        ("file:py.db?mode=ro", 'use the path itself: "py.db"'),
        ("file:///tmp/py.db", 'use the path itself: "/tmp/py.db"'),
        ("mysql://host/db", 'use the path itself: "memory.db"'),
        ("sqlite://x", 'use "sqlite:///x"'),
        ("sqlite:x.db", 'use "sqlite:///x.db"'),
        ("sqlite:///x.db?mode=ro", 'use "sqlite:///x.db"'),
    ],
)
def test_an_address_that_is_none_is_told_its_spelling_and_makes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: Any, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RecollectError) as caught:
        Nexus.open(address)
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert caught.value.hint == hint
    assert list(tmp_path.iterdir()) == []


def test_a_path_may_have_a_colon_in_it_when_it_is_given_as_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Nexus.open(Path("notes:2024.db")), Nexus.open("./notes:2025.db"):
        assert Path("notes:2024.db").exists()
        assert Path("notes:2025.db").exists()


def test_a_file_where_a_folder_should_be_is_named(tmp_path: Path) -> None:
    file = tmp_path / "foreign.txt"
    file.write_text("notes")
    for path in (file / "memory.db", file / "deeper" / "memory.db"):
        with pytest.raises(RecollectError, match=r"foreign\.txt is a file, not a folder"):
            Nexus.open(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (PutConcept("T", "a", expect_version=-1), "expect_version is -1, not a version"),
        (
            PutLink("a", "p", "a", expect_version=True),
            "expect_version is True, not a version",
        ),
        (PutFact("a", "p", "a", 5), "the text of the fact is not a string"),  # type: ignore[arg-type]
        (PutFact("a", "p", "a", " "), "the text of the fact is empty"),
        (PutFact("a", "p", "a", "words", key=None), "the key is not a string"),  # type: ignore[arg-type]
        (PutFact("a", "p", "a", "words", None), "attributes is not an object"),  # type: ignore[arg-type]
    ],
)
def test_a_change_that_cannot_be_meant_is_told_in_true_words(
    nexus: Nexus, change: Change, message: str
) -> None:
    nexus.write([PutConcept("T", "a", id="a")])
    with pytest.raises(RecollectError) as caught:
        nexus.write([change])
    assert caught.value.message == message


QUERY = 'FIND(?x) WHERE { ?x {type: "T"} }'

MISTAKES: list[Callable[[Any], object]] = [
    lambda nexus: nexus.read(QUERY, limits=5),
    lambda nexus: nexus.write(QUERY, limits={"max_rows": 5}),
    lambda nexus: nexus.changes("1"),
    lambda nexus: nexus.changes(None),
    lambda nexus: nexus.changes(0, True),
    lambda nexus: nexus.why(QUERY, "1"),
    lambda nexus: nexus.why(QUERY, True),
    lambda nexus: nexus.why(QUERY, 2**70),
    lambda nexus: nexus.why(QUERY + " OFFSET 1", 2**62 - 1),
    lambda nexus: nexus.history(5),
    lambda nexus: nexus.history(None),
    lambda nexus: nexus.history(Key(1, 2)),  # type: ignore[arg-type]
    lambda nexus: nexus.purge(None),
    lambda nexus: nexus.purge(Key("T", b"x")),  # type: ignore[arg-type]
    lambda nexus: nexus.write([5]),
    lambda nexus: nexus.write([Delete(["x"])]),  # type: ignore[arg-type]
    lambda nexus: nexus.write([Delete(Local(["x"]))]),  # type: ignore[arg-type]
    lambda nexus: nexus.write([PutLink(5, "p", Key("T", "x"))]),  # type: ignore[arg-type]
    lambda nexus: nexus.write([PutConcept("T", "y", handle=["y"])]),  # type: ignore[arg-type]
    lambda nexus: nexus.write([RemoveKeys("x", attributes=5)]),  # type: ignore[arg-type]
    lambda nexus: nexus.write([RemoveKeys("x", metadata="key")]),  # type: ignore[arg-type]
    lambda nexus: nexus.write([RemoveKeys("x", attributes=[["n"]])]),  # type: ignore[arg-type]
    lambda nexus: nexus.stats("24"),
    lambda nexus: nexus.stats(True),
    lambda nexus: nexus.stats(1_001),
    lambda nexus: nexus.verify(5),
    lambda nexus: nexus.verify("\u0661:" + 64 * "0"),
    lambda nexus: nexus.restore(io.StringIO()),
    lambda nexus: nexus.restore(None),
    lambda nexus: nexus.restore("a\0b"),
    lambda nexus: nexus.dump(io.StringIO()),
    lambda nexus: nexus.dump(5),
    lambda nexus: nexus.dump("a\0b"),
    lambda nexus: nexus.dump("a\ud800"),
    lambda nexus: nexus.dump(""),
    lambda nexus: nexus.backup("a\0b"),
    lambda nexus: nexus.backup(b"copy.db"),
    lambda nexus: nexus.read(QUERY, as_of=AsOf(known=Instant(1), transaction=1)),
    lambda nexus: nexus.read(QUERY, as_of=AsOf(transaction="1")),  # type: ignore[arg-type]
    lambda nexus: nexus.read(QUERY, as_of=AsOf(transaction=-1)),
    lambda nexus: nexus.search("x", kind="relation"),
    lambda nexus: nexus.write([PutConcept("T", "y")], on_missing="x"),
    lambda nexus: nexus.elements.look_up(None),
    lambda nexus: nexus.elements.look_up("x"),
    lambda nexus: nexus.elements.look_up([1]),
    lambda nexus: nexus.elements.keys([1]),
    lambda nexus: nexus.joints.at("x"),
    lambda nexus: nexus.joints.at(["x"], "both"),
    lambda nexus: nexus.elements.distances("x", ["x"], ""),
    lambda nexus: nexus.elements.distances("x", ["x"], True),
    lambda nexus: nexus.elements.distances("x", None, 1),
    lambda nexus: nexus.elements.distances(["x"], ["x"], 1),
    lambda _: Limits(max_rows=2**63),
    lambda _: Limits(max_rows=1.5),  # type: ignore[arg-type]
    lambda _: Limits(max_steps=-1),
    lambda _: Limits(max_depth=""),  # type: ignore[arg-type]
    lambda _: Limits(max_length=True),
    lambda _: Limits(max_seconds=float("nan")),
]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_no_call_can_use_is_an_invalid_argument(
    nexus: Nexus, mistake: Callable[[Any], object]
) -> None:
    nexus.write([PutConcept("T", "x", {"n": 1}, id="x")])
    assert code_of(lambda: mistake(nexus)) == "INVALID_ARGUMENT"
    assert nexus.stats().transactions == 1


def test_a_kind_is_named_by_its_word_too(nexus: Nexus) -> None:
    nexus.write([PutConcept("T", "aspirin")])
    named = nexus.search("aspirin", kind="concept")
    assert named == nexus.search("aspirin", kind=ElementKind.CONCEPT)
    assert [hit.kind for hit in named.results[0].hits] == [ElementKind.CONCEPT]
    assert nexus.search("aspirin", kind="link").results[0].hits == ()


def test_elements_are_those_of_the_moment_that_found_names(nexus: Nexus) -> None:
    nexus.write([PutConcept("T", "old")])
    nexus.write([Delete(Key("T", "old")), PutConcept("T", "new")])
    first, second = (AsOf(transaction=at) for at in (1, 2))

    def names(found: Found, as_of: AsOf | None = None) -> list[str]:
        records = nexus.elements.records(found, as_of=as_of)
        return [one.concept.name for one in records if isinstance(one, ConceptRecord)]

    assert names(Found(QUERY)) == ["new"]
    assert names(Found(QUERY, as_of=first)) == ["old"]
    assert names(Found(QUERY), first) == names(Found(QUERY, as_of=first), first) == ["old"]
    assert code_of(lambda: names(Found(QUERY, as_of=first), second)) == "INVALID_ARGUMENT"


def test_the_number_of_a_transaction_that_is_passed_as_an_instant_is_warned_about(
    nexus: Nexus,
) -> None:
    nexus.write([PutConcept("T", "x")])
    for known, warnings in ((0, []), (1, ["transaction_as_instant"]), (2, [])):
        answer = nexus.read(QUERY, as_of=AsOf(known=known))
        assert [one.code for one in answer.notices if one.code != "unknown_type"] == warnings
    assert answer.results[0].rows == []
    assert nexus.read(QUERY, as_of=AsOf(transaction=1)).notices == ()


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_purge_that_finds_nothing_leaves_no_group(nexus: Nexus, dry_run: bool) -> None:
    receipt = nexus.group("ghost").purge(Found(QUERY), dry_run=dry_run)
    assert receipt.ids == ()
    assert nexus.groups() == []
    nexus.write([PutConcept("T", "x")])
    assert nexus.groups() == ["default"]


def test_an_answer_names_the_transaction_of_what_was_written(nexus: Nexus) -> None:
    change = PutConcept("T", "x")
    assert nexus.write([change], dry_run=True).transaction is None
    assert nexus.write([change]).transaction == 1
    assert nexus.write([change]).transaction is None
    assert nexus.read(QUERY).transaction is None

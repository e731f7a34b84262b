"""Taking in: all of a file or nothing, told on the way, and stopped when nobody waits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.integrations.exchange.conftest import Write, twice_is_once

from recollect.errors import RecollectError
from recollect.integrations.exchange import take_in
from recollect.integrations.exchange.formats import format_of
from recollect.integrations.exchange.source import Source
from recollect.kernel import Nexus
from recollect.model import PutConcept

HEADER = "subject,predicate,object\n"


def many(count: int) -> str:
    return HEADER + "".join(f"s{at},knows,s{at + 1}\n" for at in range(count))


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("x.kip", "UPSERT { }", "kip"),
        ("x", "// mine\nUPSERT { }", "kip"),
        ("x.csv", "anything", "csv"),
        ("x.txt", '"subject", predicate ,object\n', "csv"),
        ("memory.json", '{"type":"entity","name":"a","entityType":"b","observations":[]}\n', "mcp-memory"),
        ("x.jsonl", '\ufeff{"type":"relation","from":"a","to":"b","relationType":"c"}\n', "mcp-memory"),
        ("x.json", '{"results":[]}', "mem0"),
        ("x.json", '{\n  "results": [\n', "mem0"),
        ("x.json", '[{"id":"1","memory":"m"}]', "mem0"),
        ("x.jsonl", '{"uuid":"1","group_id":"g","name":"n"}\n', "graphiti"),
        ("x.jsonl", '{"subject":"a","predicate":"b","object":"c"}\n', "jsonl"),
        ("x.jsonl", '{"concept":"1","type":"T","name":"n"}\n', "jsonl"),
        ("x", "@prefix a: <http://a/> .\n", "turtle"),
        ("x", "<http://a> <http://b> <http://c> .\n", "ntriples"),
        ("x.nt", "", "ntriples"),
    ],
)  # fmt: skip
def test_a_format_is_told_from_name_and_content(
    write: Write, name: str, content: str, format: str
) -> None:
    path = write(name, content)
    assert format_of(Source.of(path, str(path)), "auto") == format


def test_a_first_line_may_be_long(write: Write) -> None:
    entity = {"type": "entity", "name": "a", "entityType": "b", "observations": ["memory" * 20_000]}
    path = write("memory.json", [entity, entity])
    assert format_of(Source.of(path, str(path)), "auto") == "mcp-memory"


def test_what_is_no_format_is_refused_with_those_there_are(nexus: Nexus, write: Write) -> None:
    for name, content in (("x.txt", "hello"), ("x.json", '{"a": 1}'), ("empty", "")):
        with pytest.raises(RecollectError, match="one of kip, mcp-memory"):
            take_in(nexus, write(name, content))
    with pytest.raises(RecollectError, match="recollect restore"):
        take_in(nexus, write("dump.jsonl", '{"recollect_dump":1}\n'))
    talk = '{"role": "user", "content": "I moved"}'
    for name, content in (("talk.jsonl", f"{talk}\n{talk}\n"), ("talk.json", f"[{talk}]")):
        with pytest.raises(RecollectError, match="tells what format") as refused:
            take_in(nexus, write(name, content))
        assert "recollect remember --messages" in refused.value.hint
        assert refused.value.hint.endswith(name)
    with pytest.raises(RecollectError, match="not a format that can be read"):
        take_in(nexus, write("x.csv", HEADER), format="xml")
    for path in (Path("absent.csv"), write("x", "").parent):
        with pytest.raises(RecollectError, match="INVALID_ARGUMENT"):
            take_in(nexus, path)


def test_capsules_come_in_whole_or_not_at_all(nexus: Nexus, write: Write) -> None:
    good = 'UPSERT { CONCEPT @a { {type: "T", name: "a"} } }\n'
    report = twice_is_once(nexus, write("good.kip", good))
    assert (report.format, report.created) == ("kip", 1)
    with pytest.raises(RecollectError, match="KIP_1001"):
        take_in(nexus, write("bad.kip", f"{good.replace('a', 'b')}// capsule 2\nDELETE {{ }}"))
    assert nexus.stats().concepts == 1


@pytest.mark.parametrize(
    ("bad", "told", "mended"),
    [
        ("UPSERT {\n    CONSEPT @c { }\n}", "CONSEPT", "CONCEPT"),
        ('UPSERT {\n    CONCEPT @c { {type: "T", name: 7} }\n}', "7}", '"7"}'),
        ('UPSERT {\n    PROPOSITION @p { (@z, "is", @z) }\n}', "@z, ", None),
        ('UPSERT { }\nFIND(?x) WHERE { ?x {type: "T"} }', "FIND", None),
    ],
)
def test_an_error_of_a_capsule_names_the_file_and_its_place_in_it(
    nexus: Nexus, write: Write, bad: str, told: str, mended: str | None
) -> None:
    good = 'UPSERT {\n    CONCEPT @a { {type: "T", name: "ä"} }\n}\n'
    text = f"// capsule 1\n{good}// capsule 2\n{good}// capsule 3\n{bad}\n"
    path = write("b.kip", f"\ufeff{text}")
    with pytest.raises(RecollectError) as raised:
        take_in(nexus, path)
    wire = raised.value.to_wire()
    assert str(wire["message"]).startswith(f"{path}: ")
    assert wire["line"] == 11
    assert f"\n  11 | {bad.splitlines()[1]}\n" in str(raised.value)
    assert text[wire["span"]["start"] :].startswith(told)
    fix = raised.value.fix
    assert (fix and fix.apply(text)) == (mended and text.replace(told, mended))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.ttl", "this is\nno Turtle\n"),
        ("x.nt", "nothing\nof it\n"),
        ("x.csv", HEADER + "a,,b\n,knows,c\n"),
        ("x.jsonl", '{"concept":"1","type":"T"}\n'),
        ("x.jsonl", r'{"concept":"1","type":"T","name":"a\u0000"}' + "\n"),
        ("memory.json", '{"type":"entity","entityType":"b"}\n{'),
        ("x.jsonl", '{"uuid":"1","group_id":"g"}\n'),
        ("x.json", '[{"memory":7}]'),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_file_of_which_nothing_can_be_taken_in_is_an_error_even_without_its_bad_lines(
    nexus: Nexus, write: Write, name: str, content: str, dry_run: bool
) -> None:
    before = nexus.stats()
    with pytest.raises(
        RecollectError, match=rf"nothing in .*{name} can be imported; line \d"
    ) as raised:
        take_in(nexus, write(name, content), skip_bad=True, dry_run=dry_run)
    assert raised.value.details["lines"]
    assert nexus.stats() == before


def test_a_file_with_nothing_for_a_memory_and_nothing_bad_is_no_error(
    nexus: Nexus, write: Write
) -> None:
    community = {"uuid": "1", "group_id": "g", "name": "n", "labels": ["Community"]}
    report = take_in(nexus, write("x.jsonl", [community]), skip_bad=True)
    assert (report.records, report.created, len(report.skipped)) == (1, 0, 1)
    assert take_in(nexus, write("x.csv", HEADER), skip_bad=True).records == 0


def test_what_was_taken_in_before_is_taken_in_beside_a_bad_line(nexus: Nexus, write: Write) -> None:
    path = write("x.csv", HEADER + "a,knows,b\n,knows,c\n")
    first, second = (take_in(nexus, path, skip_bad=True) for _ in range(2))
    assert (first.created, second.created, second.skipped) == (3, 0, first.skipped)


def test_progress_is_told_and_reaches_the_end(nexus: Nexus, write: Write) -> None:
    told: dict[str, list[tuple[int, int]]] = {}
    path = write("t.csv", many(2_500))
    take_in(nexus, path, progress=lambda *one: told.setdefault(one[0], []).append(one[1:]))
    size = path.stat().st_size
    assert list(told) == ["checking", "concepts", "links"]
    for steps in told.values():
        assert steps == sorted(steps)
        assert (steps[0], steps[-1]) == ((0, size), (size, size))
        assert len(steps) > 3


@pytest.mark.parametrize("after", [0, 1, 4, 8])
def test_a_call_that_is_taken_back_keeps_nothing(nexus: Nexus, write: Write, after: int) -> None:
    asked = iter(range(100))
    with pytest.raises(RecollectError, match="CANCELLED"):
        take_in(nexus, write("t.csv", many(2_500)), cancelled=lambda: next(asked) >= after)
    assert nexus.stats().transactions == 0
    assert nexus.groups() == ["decoy"]


@pytest.mark.parametrize("after", [0, 2, 4])
def test_a_file_that_is_read_whole_can_be_taken_back_too(
    nexus: Nexus, write: Write, after: int
) -> None:
    lines = "".join(f"<a:{at}> <a:knows> <a:{at + 1}> .\n" for at in range(1_500))
    asked = iter(range(100))
    with pytest.raises(RecollectError, match="CANCELLED"):
        take_in(nexus, write("t.nt", lines), cancelled=lambda: next(asked) >= after)
    assert nexus.stats().transactions == 0


def test_an_open_file_is_read_from_its_beginning_and_stays_open(nexus: Nexus, write: Write) -> None:
    with write("t.csv", many(3)).open("rb") as stream:
        stream.read(5)
        assert take_in(nexus, stream.fileno(), name="t.csv").records == 3
        assert os.fstat(stream.fileno()).st_size


def test_links_may_stand_before_what_they_end_in_across_batches(nexus: Nexus, write: Write) -> None:
    count = 1_500
    edges = [
        {"uuid": f"f{at}", "group_id": "g", "source_node_uuid": f"n{at}", "target_node_uuid": "n0",
         "name": "KNOWS", "fact": f"{at} knows 0", "episodes": []}
        for at in range(count)
    ]  # fmt: skip
    nodes = [
        {"uuid": f"n{at}", "group_id": "g", "name": f"N{at}", "attributes": {}, "labels": []}
        for at in range(count)
    ]
    report = twice_is_once(nexus, write("graph.jsonl", [*edges, *nodes]))
    assert (report.created, report.skipped) == (2 * count, ())


def test_who_and_why_stand_in_the_log(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("t.csv", many(1)), actor="ann", request_id="r1")
    (logged,) = nexus.changes()
    assert (logged.transaction.actor, logged.transaction.request_id) == ("ann", "r1")


def test_a_url_is_never_fetched_and_names_are_only_names(nexus: Nexus, write: Write) -> None:
    table = HEADER + 'http://127.0.0.1:9/x,"DELETE CONCEPT ?x",file:///etc/passwd\n'
    report = take_in(nexus, write("t.csv", table))
    assert report.created == 3


def test_the_report_tells_of_names_that_something_of_another_type_has(
    nexus: Nexus, write: Write
) -> None:
    """Of ten, and how many more; in capsules and in lines, and in a dry run."""
    nexus.write([PutConcept("Person", f"n{at}") for at in range(12)])
    lines = [{"concept": f"c{at}", "type": "Ship", "name": f"n{at}"} for at in range(12)]
    path = write("x.jsonl", lines)
    tried = take_in(nexus, path, dry_run=True)
    report = take_in(nexus, path)
    assert tried.warnings == report.warnings
    assert [one.code for one in report.warnings] == ["name_of_two"] * 10
    assert '{type: "Ship", name: "n0", id: "c0"}' in report.warnings[0].message
    assert report.warnings[-1].message.endswith("; and 2 more")
    assert report.to_wire()["warnings"][0]["code"] == "name_of_two"
    assert take_in(nexus, path).warnings == ()
    capsule = 'UPSERT { CONCEPT @x { {type: "Cat", name: "n0"} } }'
    (told,) = take_in(nexus, write("x.kip", capsule)).warnings
    assert "Person" in told.message
    assert "Ship" in told.message


def test_of_the_warnings_of_several_batches_the_first_ten_are_told(
    nexus: Nexus, write: Write
) -> None:
    times = [{"concept": f"c{at}", "type": "Ship", "name": f"n{at}"} for at in range(1_005)]
    nexus.write([PutConcept("Person", f"n{at}") for at in range(1_005)])
    report = take_in(nexus, write("x.jsonl", times))
    assert len(report.warnings) == 10
    assert report.warnings[-1].message.endswith("; and 990 more; and 5 more warnings")

"""query, search and describe: what is printed for programs and for people."""

from __future__ import annotations

import json
from shlex import quote

import pytest
from tests.servers.cli.conftest import CAPSULE, DRUGS, Cli, answer

import postgres

COMMANDS_THAT_NEED_A_MEMORY = (
    ("query", "DESCRIBE PRIMER"),
    ("search", "aspirin"),
    ("describe",),
    ("stats",),
)


@pytest.mark.parametrize("words", COMMANDS_THAT_NEED_A_MEMORY)
def test_a_missing_memory_is_not_created_but_named(cli: Cli, tmp_path, words):
    failed = cli(*words, "--db", "absent.db")
    assert failed.exit_code == 1
    absent = postgres.address_of("absent.db")
    assert f"there is no memory at {absent}" in failed.stderr
    assert f"hint: recollect init {quote(absent)}" in failed.stderr
    assert not (tmp_path / "absent.db").exists()
    assert answer(cli(*words, "--db", "absent.db", "--json"))["error"]["code"] == "INVALID_ARGUMENT"


def test_rows_are_a_table_with_a_count(cli: Cli, memory: str):
    shown = cli("query", DRUGS, "--db", memory).stdout
    lines = [line.split() for line in shown.splitlines() if line.strip()]
    assert lines[0] == ["name", "risk"]
    assert ["Aspirin", "2"] in lines
    assert ["Ibuprofen", "null"] in lines
    assert lines[-1] == ["2", "rows"]


def test_concepts_and_links_are_called_by_name(cli: Cli, memory: str):
    text = 'FIND(?d, ?l) WHERE { ?d {type: "Drug"} ?l (?d, "treats", ?s) }'
    shown = cli("query", text, "--db", memory).stdout
    assert 'Drug "Aspirin"' in shown
    assert 'Drug "Aspirin" ─treats→ Symptom "Headache"' in shown


def test_one_element_is_shown_whole(cli: Cli, memory: str):
    text = 'FIND(?d) WHERE { ?d {type: "Drug", name: "Aspirin"} }'
    shown = cli("query", text, "--db", memory).stdout
    assert "阿司匹林" in shown
    assert "a test" in shown


def test_no_rows_are_said_to_be_none(cli: Cli, memory: str):
    shown = cli("query", 'FIND(?d) WHERE { ?d {type: "Drug", name: "Nix"} }', "--db", memory)
    assert shown.stdout.strip() == "no rows"
    assert shown.exit_code == 0


@pytest.mark.parametrize("layout", ["rows", "columns", "objects"])
def test_json_is_the_raw_response_in_each_layout(cli: Cli, memory: str, layout: str):
    told = answer(cli("query", DRUGS, "--db", memory, "--json", "--format", layout))
    assert (
        told["result"]
        == {
            "rows": {"columns": ["name", "risk"], "rows": [["Aspirin", 2], ["Ibuprofen", None]]},
            "columns": [["Aspirin", "Ibuprofen"], [2, None]],
            "objects": {
                "objects": [{"name": "Aspirin", "risk": 2}, {"name": "Ibuprofen", "risk": None}]
            },
        }[layout]
    )


def test_a_page_tells_how_to_go_on_and_a_cursor_does(cli: Cli, memory: str):
    text = 'FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.name LIMIT 1 // a page'
    told = answer(cli("query", text, "--db", memory, "--json"))["result"]
    assert told["rows"] == [["Aspirin"]]
    cursor = told["next_cursor"]
    page = cli("query", text, "--db", memory)
    assert f'1 row; the next page: CURSOR "{cursor}"' in page.stdout
    rest = answer(cli("query", text, "--db", memory, "--cursor", cursor, "--json"))
    assert rest == {"result": {"columns": ["d.name"], "rows": [["Ibuprofen"]]}}


def test_a_cursor_is_shown_only_to_whoever_pages(cli: Cli, memory: str):
    blocks = "".join(
        f'CONCEPT @n{at} {{ {{type: "Note", name: "note {at}"}} }}' for at in range(12)
    )
    cli("run", "-", "--db", memory, input=f"UPSERT {{ {blocks} }}")
    words = ("search", "note", "--db", memory)
    assert "10 hits; there are more" in cli(*words).stdout
    assert "CURSOR" not in cli("shell", memory, input='SEARCH "note"\n').stdout
    assert '3 hits; the next page: CURSOR "' in cli(*words, "--limit", "3").stdout
    cursor = answer(cli(*words, "--json"))["result"]["next_cursor"]
    assert "2 hits" in cli(*words, "--cursor", cursor).stdout


@pytest.mark.parametrize("layout", ["columns", "objects"])
def test_people_see_a_table_whatever_the_layout(cli: Cli, memory: str, layout: str):
    plain = cli("query", DRUGS, "--db", memory).stdout
    assert cli("query", DRUGS, "--db", memory, "--format", layout).stdout == plain


def test_json_keeps_whole_numbers_of_any_size(cli: Cli):
    largest = 2**63 - 1
    blocks = " ".join(
        f'CONCEPT @c{n} {{ {{type: "N", name: "{n}"}} SET ATTRIBUTES {{ v: {largest} }} }}'
        for n in range(3)
    )
    assert cli("run", "-", "--db", "m.db", input=f"UPSERT {{ {blocks} }}").exit_code == 0
    text = 'FIND(SUM(?v) AS ?sum) WHERE { ?n {type: "N"} ATTR(?n, "v", ?v) }'
    told = answer(cli("query", text, "--db", "m.db", "--json"))
    assert told["result"]["rows"] == [[3 * largest]]


def test_a_parameter_is_json_or_else_text(cli: Cli, memory: str):
    text = 'FIND(?n) WHERE { ?d {name: $name} ATTR(?d, "name", ?n) } LIMIT $limit'
    told = cli("query", text, "--db", memory, "-p", "name=Aspirin", "-p", "limit=1", "--json")
    assert answer(told)["result"]["rows"] == [["Aspirin"]]
    told = cli("query", text, "--db", memory, "-p", 'name="Aspirin"', "-p", "$limit=1", "--json")
    assert answer(told)["result"]["rows"] == [["Aspirin"]]


def test_a_query_reads_standard_input(cli: Cli, memory: str):
    told = answer(cli("query", "-", "--db", memory, "--json", input=DRUGS))
    assert len(told["result"]["rows"]) == 2


def test_a_query_may_not_write(cli: Cli, memory: str):
    failed = cli("query", CAPSULE, "--db", memory)
    assert failed.exit_code == 1
    assert "KIP_1001" in failed.stderr
    assert failed.stdout == ""


def test_an_error_has_a_caret_and_a_hint(cli: Cli, memory: str):
    failed = cli("query", 'FIND(?dru) WHERE { ?drug {type: "Drug"} }', "--db", memory)
    assert failed.exit_code == 1
    assert failed.stdout == ""
    message, quoted, caret, hint = failed.stderr.splitlines()
    assert message.startswith("KIP_3001 ReferenceError: ")
    assert quoted.endswith('FIND(?dru) WHERE { ?drug {type: "Drug"} }')
    assert caret.index("^") == quoted.index("?dru")
    assert "?drug" in hint


def test_an_error_as_json_stands_alone_on_standard_output(cli: Cli, memory: str):
    failed = cli("query", "FIND(", "--db", memory, "--json")
    assert failed.exit_code == 1
    assert answer(failed)["error"]["code"] == "KIP_1001"


def test_a_warning_goes_to_standard_error(cli: Cli, memory: str):
    told = cli("query", 'FIND(?d) WHERE { ?d {type: "Durg"} }', "--db", memory)
    assert told.exit_code == 0
    assert told.stderr.startswith("warning: ")
    assert "Drug" in told.stderr
    raw = answer(cli("query", 'FIND(?d) WHERE { ?d {type: "Durg"} }', "--db", memory, "--json"))
    assert raw["warnings"]


def test_a_past_transaction_is_read_as_it_was(cli: Cli, memory: str):
    cli("run", "-", "--db", memory, input='DELETE CONCEPT {type: "Drug", name: "Ibuprofen"} DETACH')
    now = answer(cli("query", DRUGS, "--db", memory, "--json"))["result"]["rows"]
    then = cli("query", DRUGS, "--db", memory, "--transaction", "1", "--json")
    assert [row[0] for row in now] == ["Aspirin"]
    assert [row[0] for row in answer(then)["result"]["rows"]] == ["Aspirin", "Ibuprofen"]


def test_search_finds_chinese_words(cli: Cli, memory: str):
    found = answer(cli("search", "阿司匹林", "--db", memory, "--json"))["result"]["hits"]
    assert found[0]["name"] == "Aspirin"
    shown = cli("search", "阿司匹林", "--db", memory).stdout
    assert 'Drug "Aspirin"' in shown


def test_search_can_be_narrowed(cli: Cli, memory: str):
    of_type = cli("search", "aspirin headache", "--type", "Symptom", "--db", memory, "--json")
    assert {hit.get("name") for hit in answer(of_type)["result"]["hits"] if "name" in hit} == {
        "Headache"
    }
    links = cli("search", "treats", "--kind", "proposition", "--db", memory, "--json")
    assert {hit["kind"] for hit in answer(links)["result"]["hits"]} == {"link"}
    one = cli("search", "aspirin ibuprofen", "--limit", "1", "--db", memory, "--json")
    assert len(answer(one)["result"]["hits"]) == 1


def test_a_search_that_finds_nothing_says_so(cli: Cli, memory: str):
    assert cli("search", "zzz", "--db", memory).stdout.strip() == "nothing found"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "domain_map"),
        (("primer",), "domain_map"),
        (("types",), "Drug"),
        (("type", "Drug"), "risk_level"),
        (("predicates",), "treats"),
        (("predicate", "treats"), "Symptom"),
    ],
)
def test_describe_shows_what_the_memory_is_about(cli: Cli, memory: str, words, expected):
    shown = cli("describe", *words, "--db", memory)
    assert shown.exit_code == 0
    assert expected in shown.stdout
    raw = answer(cli("describe", *words, "--db", memory, "--json"))
    assert expected in json.dumps(raw)


def test_describe_domains_of_a_memory_without_domains_is_no_error(cli: Cli, memory: str):
    assert cli("describe", "domains", "--db", memory).exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("describe", "type"),
        ("describe", "types", "Drug"),
        ("describe", "everything"),
        ("query",),
        ("query", "x", "--param", "nameless"),
        ("search", "x", "--limit", "-1"),
        ("stats", "a.db", "--db", "b.db"),
        ("query", "x", "--known", "2024", "--transaction", "3"),
        ("nonsense",),
    ],
)
def test_a_command_that_is_not_understood_exits_with_2(cli: Cli, words):
    failed = cli(*words)
    assert failed.exit_code == 2
    assert failed.stdout == ""


def test_stored_text_cannot_speak_to_the_terminal(cli: Cli):
    text = 'UPSERT { CONCEPT @c { {type: "Note", name: $name} SET ATTRIBUTES { text: $text } } }'
    hostile = "\x1b[31mred\x1b]0;title\x07 [bold]loud[/bold] \u202egnirts"
    parameters = [f"name={json.dumps(hostile)}", f"text={json.dumps(hostile)}"]
    taught = cli("run", "-", "--db", "m.db", "-p", parameters[0], "-p", parameters[1], input=text)
    assert taught.exit_code == 0, taught.output
    for words in (
        ("query", 'FIND(?n, ?t) WHERE { ?n {type: "Note"} ATTR(?n, "text", ?t) }'),
        ("query", 'FIND(?n) WHERE { ?n {type: "Note"} }'),
        ("search", "loud"),
        ("describe", "primer"),
    ):
        shown = cli(*words, "--db", "m.db")
        assert shown.exit_code == 0, shown.output
        assert not set("\x1b\x07\u202e") & set(shown.stdout)
        assert "[bold]loud[/bold]" in shown.stdout
    raw = answer(cli("query", 'FIND(?n) WHERE { ?n {type: "Note"} }', "--db", "m.db", "--json"))
    assert raw["result"]["rows"][0][0]["name"] == hostile

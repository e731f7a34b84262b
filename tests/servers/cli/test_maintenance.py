"""The commands that keep a memory fresh, as a scheduler runs them."""

from __future__ import annotations

import pytest
from tests.servers.cli.conftest import Cli, answer

GRAPH = """
UPSERT {
  CONCEPT @event {
    {type: "Event", name: "talk \u202e"}
    SET PROPOSITIONS { ("mentions", @alice) }
  } WITH METADATA { expires_at: "2024-05-01T12:00:00+02:00" }
  CONCEPT @alice { {type: "Person", name: "Alice"} SET PROPOSITIONS { ("knows", @bob) } }
    WITH METADATA { confidence: 0.8, observed_at: "2020" }
  CONCEPT @bob { {type: "Person", name: "Bob"} } WITH METADATA { expires_at: "2024" }
  CONCEPT @twin { {type: "Person", name: "ALICE"} }
}
"""


@pytest.fixture
def memory(cli: Cli) -> str:
    """A file that holds the graph above."""
    assert cli("run", "-", "--db", "m.db", input=GRAPH).exit_code == 0
    return "m.db"


def stored(cli: Cli) -> dict:
    return answer(
        cli(
            "query",
            'FIND(?p, ?p.metadata._version) WHERE { ?p {type: "Person"} }',
            "--db",
            "m.db",
            "--json",
        )
    )


def test_what_would_expire_is_what_expires(cli: Cli, memory: str):
    told = cli("expire", "--db", memory, "--dry-run")
    assert 'Event "talk' in told.stdout
    assert "2 would be closed: 2 changes in the log" in told.stdout
    assert 'Person "Bob" (2024): expired' in told.stderr
    dry = answer(cli("expire", "--db", memory, "--dry-run", "--json"))["result"]
    wet = answer(cli("expire", "--db", memory, "--json", "--actor", "night", "--request-id", "r7"))[
        "result"
    ]
    assert dry["changes"] == wet["changes"]
    assert (dry["transaction"], wet["transaction"], wet["left"]) == (None, 2, 0)
    assert [one["what"]["name"] for one in wet["suspect"]] == ["Bob"]
    assert "night" in cli("changes", "--db", memory).stdout
    again = cli("expire", "--db", memory)
    assert (again.exit_code, again.stdout) == (0, "nothing to be closed\n")


def test_a_named_type_expires_and_may_be_archived(cli: Cli, memory: str):
    done = cli("expire", "--type", "Person", "--archive", "--db", memory)
    assert "3 archived" in done.stdout
    assert (
        cli("expire", "--type", "Person", "--archive", "--db", memory).stdout
        == "nothing to be archived\n"
    )


@pytest.mark.parametrize(
    "command", [("expire",), ("decay", "--half-life", "30d"), ("duplicates", "--apply")]
)
def test_the_printed_text_does_what_the_command_does(
    cli: Cli, memory: str, command: tuple[str, ...]
):
    before = stored(cli)
    text = cli(*command, "--kip", "--db", memory).stdout
    assert stored(cli) == before
    assert cli("run", "-", "--db", memory, input=text).exit_code == 0
    result = answer(cli(*command, "--json", "--db", memory))["result"]
    assert (result["changes"], result["transaction"], result["kip"]) == ([], None, "")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("expire",), "// nothing is due\n"),
        (("decay",), "// nothing is due\n"),
        (("duplicates",), "// no duplicates\n"),
        (("duplicates", "--apply"), "// no duplicates\n"),
    ],
)
def test_where_nothing_is_to_be_done_the_text_says_so_and_runs(
    cli: Cli, command: tuple[str, ...], said: str
):
    assert cli("init", "--db", "fresh.db").exit_code == 0
    text = cli(*command, "--kip", "--db", "fresh.db").stdout
    assert text == said
    assert cli("run", "-", "--db", "fresh.db", input=text).exit_code == 0


def test_values_fall_once_in_a_cycle(cli: Cli, memory: str):
    told = answer(cli("decay", "--floor", "0.25", "--dry-run", "--json", "--db", memory))["result"]
    done = cli("decay", "--floor", "0.25", "--db", memory)
    assert [(one["before"], one["after"]) for one in told["faded"]] == [(0.8, 0.25)] * 2
    assert "2 faded: 2 changes in the log (transaction 2)" in done.stdout
    assert cli("decay", "--floor", "0.25", "--db", memory).stdout == "nothing to be faded\n"


@pytest.mark.parametrize("time", ["soon", "30", "-1d", "1y", "9" * 400 + "d"])
def test_a_time_that_cannot_be_read_is_refused(cli: Cli, memory: str, time: str):
    refused = cli("decay", "--half-life", time, "--db", memory)
    assert refused.exit_code == 2
    assert "Traceback" not in refused.stderr


def test_a_rule_without_meaning_is_an_error(cli: Cli, memory: str):
    refused = answer(cli("decay", "--half-life", "0d", "--json", "--db", memory))
    assert refused["error"]["code"] == "INVALID_ARGUMENT"


def test_duplicates_are_proposed_and_merged_when_asked(cli: Cli, memory: str):
    proposed = cli("duplicates", "--db", memory)
    assert "1.00" in proposed.stdout
    assert "1 duplicate likely; nothing is changed" in proposed.stdout
    text = cli("duplicates", "--kip", "--db", memory).stdout
    assert text.startswith("// 1.00 the names differ only in case or spaces\nMERGE CONCEPT")
    dry = answer(cli("duplicates", "--apply", "--dry-run", "--json", "--db", memory))["result"]
    assert dry["duplicates"][0]["links"] == [0, 2]
    done = cli("duplicates", "--apply", "--db", memory)
    assert "1 merged" in done.stdout
    assert "no duplicates" in cli("duplicates", "--db", memory).stdout


def test_orphans_are_listed(cli: Cli, memory: str):
    assert "ALICE" in cli("orphans", "--db", memory).stdout
    assert answer(cli("orphans", "--json", "--db", memory))["result"]["unlinked"] == [
        {"type": "Person", "name": "ALICE"}
    ]


@pytest.mark.parametrize("command", ["expire", "decay", "duplicates", "orphans"])
def test_another_group_is_not_touched(cli: Cli, memory: str, command: str):
    before = stored(cli)
    assert cli(command, "--db", memory, "--group", "other").exit_code == 0
    assert stored(cli) == before

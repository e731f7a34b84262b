"""Claims and the attention queue from the command line."""

from __future__ import annotations

import hashlib
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.servers.cli.conftest import Cli, answer

import postgres
import recollect

SOURCES = Path(recollect.__file__).parent.parent
PROGRAM = "from recollect.servers.cli import main; main()"


@pytest.fixture
def claims(cli: Cli) -> Cli:
    """A memory in the directory with two claims."""
    told = (
        "claim", "add", "payments uses sagas for transactions", "--id", "c1",
        "-e", "file=src/saga.py", "-e", '{"kind": "tool_result", "tool_call_id": "t1", "detail": "green"}',
        "--scope", "repo:acme/payments", "--tag", "saga", "--domain", "architecture",
        "--confidence", "0.9", "--db", "memory.db",
    )  # fmt: skip
    assert cli(*told).exit_code == 0
    second = cli("claim", "add", "2PC is used", "--id", "c2", "-e", "url=https://x.org")
    assert second.stdout == "claim c2 is added as observed\n"
    return cli


def test_a_claim_is_added_and_shown(claims: Cli) -> None:
    shown = claims("claim", "show", "c1").stdout
    assert "observed · confidence 0.9 · from file" in shown
    assert "repo:acme/payments" in shown
    claim = answer(claims("claim", "show", "c1", "--json"))["result"]["claim"]
    assert (claim["text"], claim["tags"], len(claim["evidence"])) == (
        "payments uses sagas for transactions",
        ["saga"],
        2,
    )


def test_the_project_of_a_claim_is_shown_beside_its_scope(claims: Cli) -> None:
    about = ("--project", "payments", "--scope", "repo:r")
    claims("claim", "add", "sagas", "--id", "c3", "-e", "file=a", *about)
    rows = [one.split() for one in claims("claim", "show", "c3").stdout.splitlines()]
    assert [one for one in rows if one and one[0] in ("about", "project")] == [
        ["about", "repo:r"],
        ["project", "payments"],
    ]


def test_claims_are_listed_by_what_they_are_about_or_by_a_question(claims: Cli) -> None:
    def ids(*words: str) -> list[str]:
        found = answer(claims("claim", "list", *words, "--json"))["result"]["claims"]
        return [one["id"] for one in found]

    assert ids() == ["c2", "c1"]
    assert ids("--tag", "saga") == ids("--scope", "repo:acme/payments") == ["c1"]
    assert ids("What patterns are used for transactions?")[0] == "c1"
    assert ids("--limit", "1", "--after", "c2") == ["c1"]
    assert "payments uses sagas" in claims("claim").stdout


def test_a_claim_goes_through_its_lifecycle(claims: Cli) -> None:
    assert (
        claims("claim", "verify", "c1", "-e", "user_statement=m1", "--actor", "ann").exit_code == 0
    )
    disputed = claims(
        "claim", "dispute", "c1", "--reason", "PR 9 removes it", "-e", "url=https://y.org"
    )
    assert disputed.stdout == "claim c1 is now disputed\n"
    assert "PR 9 removes it" in claims("claim", "history", "c1").stdout
    items = answer(claims("attention", "--json"))["result"]["items"]
    assert [one["code"] for one in items] == ["knowledge.disputed.user_rejection"]
    assert claims("claim", "supersede", "c1", "c2").stdout == "claim c1 is now superseded by c2\n"
    events = answer(claims("claim", "history", "c1", "--json"))["result"]["history"]
    assert [(one["event"], one["actor_id"]) for one in events] == [
        ("created", None),
        ("verified", "ann"),
        ("disputed", None),
        ("superseded", None),
    ]


def test_the_evidence_of_a_transition_is_printed_and_checked(claims: Cli) -> None:
    gone = (
        "-e",
        "file=gone.py",
        "-e",
        '{"kind": "url", "url": "https://y.org", "detail": "a\\nb"}',
    )
    claims("claim", "dispute", "c2", "--reason", "it is not", *gone)
    for action in ("show", "history"):
        told = claims("claim", action, "c2").stdout
        assert "file: path gone.py" in told
        assert "https://y.org" in told
    checked = claims("claim", "check", "c2")
    assert (checked.exit_code, "gone.py is not there" in checked.stdout) == (1, True)


def test_what_a_person_says_is_kept_as_the_words(cli: Cli) -> None:
    said = ("user_statement", "message", "tool_result", "model_inference", "human_assertion")
    words = [one for kind in said for one in ("-e", f"{kind}=Keep it = short")]
    ids = '{"kind": "message", "session_id": "s1", "message_id": "m7", "detail": "Keep it"}'
    told = ("claim", "add", "answers are short", "--id", "c1", *words, "-e", ids, "--actor", "ann")
    assert cli(*told).exit_code == 0
    *kept, last = answer(cli("claim", "show", "c1", "--json"))["result"]["claim"]["evidence"]
    assert [(one["kind"], one["detail"], one["message_id"]) for one in kept] == [
        (kind, "Keep it = short", None) for kind in said
    ]
    assert [one["id"] for one in kept] == [None, None, None, None, "ann"]
    assert (last["session_id"], last["message_id"], last["detail"]) == ("s1", "m7", "Keep it")


def test_a_file_that_has_changed_since_it_was_evidence_is_seen(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "saga.py").write_bytes(b"saga")
    (tmp_path / "report.txt").write_bytes(b"saga")
    told = (
        "claim",
        "add",
        "sagas",
        "--id",
        "c1",
        "-e",
        "file=saga.py",
        "-e",
        "artifact=report.txt",
    )
    assert cli(*told).stderr == ""
    kept = answer(cli("claim", "show", "c1", "--json"))["result"]["claim"]["evidence"]
    sha256 = hashlib.sha256(b"saga").hexdigest()
    assert [(one["path"], one["content_hash"], one["commit_sha"]) for one in kept] == [
        ("saga.py", sha256, None),
        ("report.txt", sha256, None),
    ]
    assert cli(*told).stdout == "claim c1 is there already: observed\n"
    (tmp_path / "saga.py").write_bytes(b"outbox")
    checked = cli("claim", "check", "c1", "--json")
    assert (
        checked.exit_code,
        [one["outcome"] for one in answer(checked)["result"]["evidence"]],
    ) == (
        1,
        ["refuted", "confirmed"],
    )
    assert "the content of saga.py differs" in cli("claim", "check", "c1").stdout


def test_the_commit_of_a_file_is_kept_and_a_change_after_it_is_seen(
    cli: Cli, tmp_path: Path
) -> None:
    path = {"PATH": f"{Path(shutil.which('git') or '').parent}:{os.defpath}"}

    def git(*words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        command = ["git", "-C", str(tmp_path), *who, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def kept(id: str) -> dict:
        told = ("claim", "add", f"sagas {id}", "--id", id, "-e", "file=src/[s]*.py", "--json")
        assert cli(*told, **path).exit_code == 0
        (one,) = answer(cli("claim", "show", id, "--json"))["result"]["claim"]["evidence"]
        return one

    git("init", "-q")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "[s]*.py").write_bytes(b"saga")
    assert kept("none")["commit_sha"] is None
    git("add", "src")
    git("commit", "-q", "-m", "it")
    commit = git("rev-parse", "HEAD")
    git("commit", "-q", "-m", "more", "--allow-empty")
    assert kept("clean")["commit_sha"] == commit
    assert cli("claim", "check", "clean", **path).exit_code == 0
    (tmp_path / "src" / "[s]*.py").write_bytes(b"outbox")
    changed = kept("dirty")
    assert (changed["commit_sha"], changed["content_hash"]) == (
        None,
        hashlib.sha256(b"outbox").hexdigest(),
    )
    checked = cli("claim", "check", "clean", **path)
    assert (checked.exit_code, "src/[s]*.py differs" in checked.stdout) == (1, True)


def test_a_file_whose_content_is_not_kept_is_warned_of(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path, what in (
        ("gone.py", "is not there"),
        ("folder", "cannot be read"),
        ("../x.py", "is not in this folder"),
    ):
        told = cli("claim", "add", f"as {path} says", "-e", f"file={path}")
        assert (told.exit_code, told.stderr) == (
            0,
            f"warning: {path} {what}, so no check can see it change\n",
        )
        told = answer(cli("claim", "add", f"as {path} says", "-e", f"file={path}", "--json"))
        assert [one["code"] for one in told["warnings"]] == ["content_not_kept"]


def test_a_claim_that_is_added_again_is_told_as_it_is(claims: Cli) -> None:
    again = ("claim", "add", "2PC is used", "--id", "c2", "-e", "url=https://x.org")
    assert claims(*again).stdout == "claim c2 is there already: observed\n"
    claims("claim", "supersede", "c2", "c1")
    assert claims(*again).stdout == "claim c2 is there already: superseded\n"
    told = answer(claims(*again, "--json"))["result"]
    assert told == {"claim_id": "c2", "claim_status": "superseded"}
    assert claims("claim", "add", "other words", *again[3:]).exit_code == 1


def test_what_may_not_follow_is_refused(claims: Cli) -> None:
    refused = claims("claim", "supersede", "c1", "nobody")
    assert (refused.exit_code, "no claim" in refused.stderr) == (1, True)
    claims("claim", "supersede", "c1", "c2")
    refused = claims("claim", "verify", "c1")
    assert "which cannot become verified" in refused.stderr


def test_an_item_of_attention_is_put_aside(claims: Cli) -> None:
    claims("claim", "verify", "c1")
    claims("claim", "dispute", "c1", "--reason", "no")
    print_ = "claim:c1:knowledge.disputed.user_rejection"
    assert "Review conflicting evidence" in claims("attention").stdout
    refused = claims("attention", "snooze", print_)
    assert refused.exit_code == 2
    assert "attention snooze needs an instant: add --until 2100-01-01" in refused.stderr
    refused = claims("attention", "snooze", print_, "--until", "2001-01-01")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "until is 2001-01-01T00:00:00.000Z, which is not after now" in refused.stderr
    assert "hint: name a later day with --until" in refused.stderr
    assert print_ in claims("attention").stdout
    snoozed = claims("attention", "snooze", print_, "--until", "2101-01-01").stdout
    assert snoozed.startswith(f"snoozed until 2101-01-01T00:00:00.000Z: {print_}\n")
    dismissed = claims("attention", "dismiss", print_).stdout
    assert dismissed == f"dismissed: {print_}\nnothing asks for attention\n"
    assert answer(claims("attention", "dismiss", print_, "--json")) == {"result": {"items": []}}
    assert print_ in claims("attention", "--all").stdout


def test_a_hint_says_what_to_type(claims: Cli) -> None:
    for words, hint in (
        (("claim", "history", "nobody"), "recollect claim list"),
        (("attention", "dismiss", "nothing"), "recollect attention --all"),
        (("claim", "add", "x", "-e", "file=y", "--confidence", "2"), "pass --confidence 0.5"),
        (("claim", "add", "x", "-e", "file=y", "--confidence", "nan"), "pass --confidence 0.5"),
    ):
        assert answer(claims(*words, "--json"))["error"]["hint"] == hint


def test_a_folder_that_is_not_there_refutes_nothing(claims: Cli) -> None:
    for words in (("--root", "nowhere"), ("--repo", "acme/payments=nowhere")):
        refused = claims("claim", "check", "c1", *words, "--json")
        assert (refused.exit_code, answer(refused)["error"]["message"]) == (
            2,
            f"{words[0]}: nowhere is not a folder",
        )


def test_refuted_evidence_fails_a_check(claims: Cli) -> None:
    checked = claims("claim", "check", "c1")
    assert (checked.exit_code, "src/saga.py is not there" in checked.stdout) == (1, True)
    assert claims("claim", "check", "c2").exit_code == 0


@pytest.mark.parametrize(("words", "person"), [((), "ann"), (("--actor", "bob"), "bob")])
def test_at_a_terminal_a_claim_rests_on_the_word_of_who_types_it(
    claims: Cli, words: tuple[str, ...], person: str
) -> None:
    keyboard, terminal = pty.openpty()
    added = subprocess.run(
        [sys.executable, "-c", PROGRAM, "claim", "add", "It rains", "--id", "c3", *words],
        stdin=terminal,
        capture_output=True,
        text=True,
        env={
            "PYTHONPATH": str(SOURCES),
            "USER": "ann",
            "RECOLLECT_DB": postgres.address_of("memory.db"),
        },
        check=True,
    )
    os.close(keyboard)
    os.close(terminal)
    assert added.stdout == "claim c3 is added as observed\n"
    claim = answer(claims("claim", "show", "c3", "--json"))["result"]["claim"]
    (evidence,) = claim["evidence"]
    assert (evidence["kind"], evidence["id"]) == ("human_assertion", person)
    assert evidence["fetched_at"] == pytest.approx(claim["created_at"], abs=60)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("add", "a fact"), "--evidence"),
        (("add", "a fact", "-e", "rumour=x"), "is no kind of evidence"),
        (("add", "a fact", "-e", "{"), "not an EvidenceRef"),
        (("add", "a fact", "-e", '{"kind": "rumour"}'), "not one of message"),
        (("add", "a fact", "-e", '{"kind": "url", "link": "x"}'), "not a field of EvidenceRef"),
        (("add", "a fact", "-e", "file= "), "path is blank"),
        (("add", "a fact", "-e", "message= "), "detail is blank"),
        (("add", "a fact", "-e", "file=a", "--scope", "world:x"), "scope_type"),
        (("verify", "c1", "--scope", "repo:x"), "--scope is for"),
        (("show", "c1", "--confidence", "0"), "--confidence is for"),
        (("show", "c1", "--reason", ""), "--reason is for"),
        (("verify",), "ID is missing"),
        (("dispute", "c1"), "--reason"),
        (("supersede", "c1"), "NEW is missing"),
        (("list", "one", "two"), "two: nothing takes it"),
        (("show", "nobody"), "no claim"),
    ],
)
def test_a_slip_is_told(claims: Cli, words: tuple[str, ...], problem: str) -> None:
    refused = claims("claim", *words)
    assert refused.exit_code != 0
    assert problem in refused.stderr


def test_a_superseded_claim_says_by_which_one(claims: Cli) -> None:
    claims("claim", "supersede", "c1", "c2")
    assert "superseded · by c2" in claims("claim", "show", "c1").stdout
    (line,) = [one for one in claims("claim").stdout.splitlines() if one.startswith(" c1 ")]
    assert "superseded · by c2" in line


def test_the_reason_of_an_item_of_attention_names_its_code(claims: Cli) -> None:
    claims("claim", "verify", "c1")
    claims("claim", "dispute", "c1", "--reason", "PR 9 removes it")
    told = claims("attention").stdout
    assert "PR 9 removes it · knowledge.disputed.user_rejection" in told


def test_an_id_is_what_tells_it_from_all_others(cli: Cli) -> None:
    ids = ("5f0c7f2a-0000-4000-8000-000000000001", "5f0cffff-0000-4000-8000-000000000002", "5f")
    for number, id in enumerate(ids):
        told = ("claim", "add", f"saga {number}", "--id", id, "-e", "url=https://x.org")
        assert cli(*told, "--db", "memory.db").exit_code == 0
    assert "saga 0" in cli("claim", "show", "5f0c7").stdout
    assert "saga 2" in cli("claim", "show", "5f").stdout
    assert cli("claim", "verify", "5f0c7").stdout == f"claim {ids[0]} is now verified\n"
    disputed = cli("claim", "dispute", "5f0c7", "--reason", "no")
    assert disputed.stdout == f"claim {ids[0]} is now disputed\n"
    assert len(answer(cli("claim", "history", "5f0c7", "--json"))["result"]["history"]) == 3
    assert cli("claim", "check", "5f0c7").exit_code == 0
    dismissed = cli("attention", "dismiss", "claim:5f0c").stdout
    assert dismissed.startswith(f"dismissed: claim:{ids[0]}:knowledge.disputed.")
    assert "saga 0" in cli("history", "5f0c7").stdout
    superseded = cli("claim", "supersede", "5f0c7", "5f0cf").stdout
    assert superseded == f"claim {ids[0]} is now superseded by {ids[1]}\n"
    listed = answer(cli("claim", "list", "--after", "5f0cf", "--json"))["result"]["claims"]
    assert [one["id"] for one in listed] == [ids[0]]
    refused = cli("claim", "show", "5f0c", "--json")
    assert (refused.exit_code, answer(refused)["error"]["known"]) == (1, list(ids[:2]))
    told = cli("claim", "show", "5f0c").stderr  # both, and none of them to be pasted by chance
    assert ids[0] in told and ids[1] in told and "pass more of the one that is meant" in told
    assert "no claim has the id" in cli("claim", "show", "6").stderr


def test_claims_and_evidence_are_shown_by_their_words(cli: Cli) -> None:
    told = ("claim", "add", "payments uses sagas", "--db", "memory.db")
    assert cli(*told, "-e", "user_statement=Ann says so").exit_code == 0
    tool = '{"kind": "tool_result", "tool_call_id": "t1"}'
    assert cli("claim", "add", "2PC is used", "-e", tool).exit_code == 0
    (first, *_) = answer(cli("claim", "list", "--json"))["result"]["claims"]
    claim = 'FIND(?c, ?l) WHERE { ?c {type: "Claim"} ?l (?c, "supported_by", ?e) }'
    for words in (
        ("describe",),
        ("changes",),
        ("search", "sagas 2PC Ann"),
        ("query", claim),
        ("run", "-"),
        ("history", first["id"]),
    ):
        shown = cli(*words, input=claim).stdout
        lines = [one for one in shown.splitlines() if "id" not in one.split()]
        assert "2PC is used" in shown, words
        if words[0] != "history":
            assert "payments uses sagas" in shown, words
            assert not re.search(r'(Claim|Evidence) "[0-9a-f]{8}-', "\n".join(lines)), words
        if words[0] in ("describe", "changes"):
            assert "Ann says so" in shown, words
            assert "tool_result t1" in shown, words
    (primer,) = [
        one["key_concepts"]
        for one in answer(cli("describe", "--json"))["result"]["domain_map"]
        if one["domain"] == "Evidence"
    ]
    assert sorted(primer) == ["Ann says so", "tool_result t1"]

"""What a person does with a memory, gone at a terminal."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest

import recollect
from recollect.faces.claims import KINDS

Ask = Callable[..., Any]


@pytest.fixture
def ask(cli) -> Ask:
    """Run a command on one memory, and return its answer from JSON."""

    def run(*words: str) -> Any:
        done = cli(*words, "--db", "me.db", "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)["result"]

    return run


def texts(answer: dict) -> list[str]:
    return [one["text"] for one in answer["memories"]]


def test_a_beginning_that_is_told_anew_is_shown_with_the_command_that_undoes_it(ask, cli):
    fact = ("remember", "--fact", "Maria", "works_at", "Siemens", "--from")
    ask(*fact, "2019")
    told = cli(*fact, "2018", "--db", "me.db")
    assert "it begins 2018" in told.stderr
    command = told.stderr.partition("(recollect ")[2].partition(")")[0]
    assert cli(*command.split()).exit_code == 0
    assert "(since 2019)" in cli("list", "--db", "me.db").stdout


def test_what_a_question_names_is_forgotten_only_after_it_was_shown(ask, cli):
    ask("remember", "--fact", "Maria", "likes", "green tea")
    shown = cli("forget", "green tea", "--db", "me.db")
    assert "nothing is forgotten yet" in shown.output
    assert "Maria likes green tea" in texts(ask("list", "--about", "Maria"))
    ask("forget", "green tea", "--yes")
    assert "Maria likes green tea" not in texts(ask("list", "fact"))
    assert "Maria" in texts(ask("list", "concept"))  # nobody asked to forget her


def test_a_first_name_is_joined_by_the_command_that_is_shown(ask, cli):
    ask("remember", "--fact", "Rosa Klein", "works_at", "Miele")
    told = cli("remember", "--fact", "Rosa", "likes", "figs", "--db", "me.db")
    shown = cli("list", "--about", "Rosa Klein", "--db", "me.db")
    joins = told.stderr.partition("(recollect ")[2].partition(")")[0]
    assert joins in shown.stderr and "Rosa likes figs" in shown.stdout
    assert cli(*joins.split()).exit_code == 0
    assert "Rosa Klein works at Miele" in texts(ask("list", "--about", "Rosa"))


def test_end_withdraw_and_erase_are_three_effects(ask, cli):
    tea = ask("remember", "--fact", "Maria", "likes", "green tea")["facts"][0]["id"]
    ended = ask("forget", "--id", tea, "--how", "end", "--at", "2027-01-01")
    assert ended["memories"][0]["invalid_at"] == "2027-01-01T00:00:00.000Z"
    withdrawn = ask("forget", "--id", tea)
    assert "expired_at" in withdrawn["memories"][0]
    shown = cli("forget", "--id", tea, "--how", "erase", "--db", "me.db").stdout
    assert "would be gone for good" in shown
    assert "the same with --yes" in shown
    assert ask("why", tea)["memory"]["text"] == "Maria likes green tea"
    erased = cli("forget", "--id", tea, "--how", "erase", "--yes", "--db", "me.db").stdout
    assert " are gone for good, with all that was said of them; it cannot be undone\n" in erased
    assert "backups, exports" in erased
    assert cli("forget", "--id", tea, "--db", "me.db").exit_code == 1


def test_a_claim_shows_its_evidence_and_a_brief_tells_it_in_words(ask, cli):
    said = "user_statement=Keep it short, please."
    claim = ask("remember", "Maria prefers short answers", "-e", said)["claim"]
    assert claim["evidence"][0]["detail"] == "Keep it short, please."
    assert (
        "user_statement: Keep it short, please.\n"
        in cli("why", claim["id"][:8], "--db", "me.db").stdout
    )
    ask("remember", "--fact", "Maria", "lives_in", "Munich")
    told = ask("brief")["text"]
    assert "Maria lives in Munich" in told
    assert "Maria prefers short answers" in told


def test_what_is_piped_in_without_evidence_is_nobodys_word(cli):
    refused = cli("remember", "The sky is green", "--db", "me.db")
    assert refused.exit_code == 1
    assert "-e user_statement=" in refused.output


def test_why_of_an_id_tells_what_a_memory_rests_on_and_what_became_of_it(ask, cli):
    fact = ("remember", "--fact", "Rita Blom", "lives_in", "Ghent", "--source", "postcard")
    told = ask(*fact)["facts"][0]
    ask("forget", "--id", told["id"], "--how", "end")
    why = ask("why", told["id"])
    assert why["memory"]["source"] == "postcard"
    assert [one["operation"] for one in why["history"]] == ["create", "update"]
    shown = cli("why", told["id"], "--db", "me.db").stdout
    assert "Rita Blom lives in Ghent" in shown
    assert "source: postcard" in shown
    assert "update" in shown


def test_why_of_an_id_that_no_memory_has_says_so(ask, cli):
    ask("remember", "--fact", "Rita Blom", "lives_in", "Ghent")
    done = cli("why", "nobody", "--db", "me.db")
    assert done.exit_code != 0
    assert "no memory has this id" in done.output


def test_each_fact_of_several_is_kept_in_one_transaction_with_what_is_said_of_all(ask, cli):
    told = ask(
        *("remember", "--fact", "Uwe", "likes", "ham", "--fact", "Eva", "likes", "figs"),
        *("--from", "2019", "--source", "a letter"),
    )
    assert [one["text"] for one in told["facts"]] == ["Uwe likes ham", "Eva likes figs"]
    assert [one["source"] for one in told["facts"]] == ["a letter", "a letter"]
    assert {one["valid_at"] for one in told["facts"]} == {"2019-01-01T00:00:00.000Z"}
    changed = json.loads(cli("changes", "--db", "me.db", "--json").stdout)["result"]
    last = changed["transactions"][-1]
    assert {one["id"] for one in told["facts"]} <= {one["id"] for one in last["changes"]}


def test_several_facts_are_kept_all_or_none_and_none_of_them_alone_ends_another(cli, tmp_path):
    two = ("--fact", "Uwe", "likes", "ham", "--fact", "Eva", "likes")
    blank = cli("remember", *two, " ", "--db", "me.db")
    assert (blank.exit_code, "OBJECT is blank" in blank.stderr) == (1, True)
    assert not list(tmp_path.rglob("*.db"))
    few = cli("remember", *two, "--db", "me.db")
    assert (few.exit_code, "got Eva likes, then --db" in few.stderr) == (2, True)
    ends = cli("remember", *two, "figs", "--replaces", "some", "--db", "me.db")
    assert (ends.exit_code, "--replaces: it is ended by one --fact" in ends.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "got"), [(("Pia", "plays"), "got Pia plays, then --db"), (("Pia",), "takes three")]
)
def test_the_name_of_an_option_is_no_word_of_a_fact(cli, tmp_path, words, got):
    done = cli("remember", "--fact", *words, "--db", "me.db")
    assert done.exit_code == 2
    assert "--fact takes three: SUBJECT PREDICATE OBJECT" in done.stderr
    assert got in done.stderr
    assert not list(tmp_path.rglob("*.db"))


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("Pia Berg", "plays", "chess"), "--fact 'Pia Berg' plays chess"),
        (("Pia", "plays", "chess", "well"), "'Pia plays chess well'"),
    ],
)
def test_words_that_are_no_one_text_are_answered_with_the_command_for_them(
    cli, tmp_path, words, command
):
    done = cli("remember", *words, "--db", "me.db")
    assert done.exit_code != 0
    db, _, said = f"--db me.db {command}".partition(f" {command}")
    assert f"recollect remember {db} {command}{said}" in done.stderr
    assert not list(tmp_path.rglob("*.db"))


def test_a_claim_that_is_refused_makes_no_memory_and_else_says_what_is_kept(ask, cli, tmp_path):
    refused = cli("remember", "Pia plays chess", "--db", "me.db")
    assert "so nothing is kept" in refused.stderr
    assert not (tmp_path / "me.db").exists()
    ask("remember", "--fact", "Pia", "plays", "chess")
    refused = cli("remember", "Pia plays chess", "--db", "me.db")
    assert "only that it was refused is kept" in refused.stderr
    assert "RejectedClaim" in cli("changes", "--db", "me.db").stdout


@pytest.mark.parametrize(
    "words",
    [
        ("run", "-"),
        ("run", "-", "--each"),
        ("remember", "--fact", "Pia", "plays", "chess", "--replaces", "nothing"),
        ("correct", "nothing", "--text", "new"),
        ("forget", "--id", "nothing"),
    ],
)
def test_a_command_that_fails_makes_no_memory(cli, tmp_path, words):
    done = cli(*words, "--db", "new.db", input='MERGE "a" INTO "b"')
    assert done.exit_code == 1
    assert not list(tmp_path.glob("new.db*"))


def test_every_command_of_a_hint_names_the_memory_that_the_line_named(cli):
    there = ("--db", "my notes.db", "--group", "ann")
    shown = "--db 'my notes.db' --group ann"
    cli("remember", "--fact", "Rosa Klein", "works_at", "Miele", *there)
    told = cli("remember", "--fact", "Rosa", "likes", "figs", *there)
    assert f"recollect correct {shown} " in told.stderr
    also = cli("remember", "--fact", "Rosa", "likes", "tea", *there)
    assert f"recollect forget {shown} --id " in also.stdout
    identifier = also.stdout.partition("--id ")[2].split()[0]
    right = cli("correct", identifier, "--object", "plums", *there)
    assert f"recollect undo {shown} " in right.stdout
    assert "--db" not in cli("self", RECOLLECT_DB="my notes.db").stdout


def test_every_answer_shows_since_when_as_precisely_as_it_was_told(ask, cli):
    ask("remember", "--fact", "Henrike", "lives_in", "Valencia", "--from", "2012")
    ask("remember", "--fact", "Henrike", "lives_in", "Bremen", "--from", "2019-09")
    married = ask("remember", "--fact", "Henrike", "married_to", "Dumisani", "--from", "2021-07-10")
    shown = "Henrike married to Dumisani (since 2021-07-10)"
    for words in (
        ("recall", "When did Henrike and Dumisani marry?"),
        ("list", "fact"),
        ("why", married["facts"][0]["id"]),
        ("brief",),
        ("brief", "Henrike"),
    ):
        assert shown in cli(*words, "--db", "me.db").stdout, words
    past = cli("list", "fact", "--past", "--db", "me.db").stdout
    assert "Henrike lives in Valencia (2012 to 2019-09-01)" in past
    assert "Henrike lives in Bremen (since 2019-09)" in past


def test_a_plain_list_says_that_there_are_more_and_leads_to_each_once(ask, cli):
    for name in "abcde":
        ask("remember", "--fact", "Pia", "likes", f"tea {name}")
        ask("remember", f"Pia said {name}", "-e", "user_statement=so")
    ids: list[str] = []
    cursor: tuple[str, ...] = ()
    while True:
        page = ask("list", "--limit", "4", *cursor)
        ids += [one["id"] for one in page["memories"]]
        if "cursor" not in page:
            break
        cursor = ("--cursor", page["cursor"])
    assert len(ids) == len(set(ids)) == 10
    shown = cli("list", "--limit", "4", "--db", "me.db").stdout.splitlines()
    assert shown[-2] == "there are more; go on with:"
    cursor = ask("list", "--limit", "4")["cursor"]
    assert shown[-1] == f"  recollect list --db me.db --limit 4 --cursor {cursor}"


def test_a_question_that_begins_with_a_dash_leads_on_by_what_can_be_pasted(ask, cli):
    for at in range(3):
        ask("remember", "--fact", "Pia", "likes", f"tea of the kind {at}")
    page = cli("recall", "--limit", "2", "--db", "me.db", "--", "--tea of Pia").stdout
    _, words = page.splitlines()[-1].split("recollect recall ")
    assert words.endswith(" -- '--tea of Pia'")
    assert cli("recall", *shlex.split(words)).stdout.count("Pia likes tea") == 1


def test_a_recall_and_a_why_lead_on_by_a_cursor_and_keep_to_a_score_and_a_size(ask, cli):
    for at in range(6):
        ask("remember", "--fact", "Pia", "likes", f"tea of the kind {at}")
    question = ("recall", "Which tea does Pia like?", "--kind", "fact")
    first = ask(*question, "--limit", "4")
    page = cli(*question, "--limit", "4", "--past", "--why", "--db", "me.db").stdout.splitlines()
    assert page[-2] == "there are more; go on with:"
    _, words = page[-1].split("recollect recall ")
    assert "--kind fact --limit 4 --past --cursor" in words
    rest = ask(*question, "--limit", "4", "--cursor", first["cursor"])
    assert cli("recall", *shlex.split(words)).stdout.count("Pia likes tea") == 2
    shown = [one["id"] for one in (*first["memories"], *rest["memories"])]
    assert len(shown) == len(set(shown)) == 6
    best = first["memories"][0]["score"]
    assert ask(*question, "--threshold", str(best + 0.01))["memories"] == []
    assert len(ask(*question, "--max-tokens", "100")["memories"]) < 6
    pia = shown[0]
    for year in range(2001, 2005):
        ask("correct", pia, "--source", f"letter {year}")
    steps = cli("why", pia, "--limit", "2", "--db", "me.db").stdout.splitlines()
    assert steps[-1] == f"  recollect why --db me.db {pia} --limit 2 --cursor 2"
    assert len(ask("why", pia, "--limit", "2", "--cursor", "2")["history"]) == 2


def test_every_command_that_takes_something_back_works(ask, cli):
    told = ask("remember", "--fact", "Pia", "lives_in", "Ghent")["facts"][0]["id"]

    def back(*words: str) -> str:
        done = cli(*words, "--db", "me.db")
        assert done.exit_code == 0, done.output
        return done.stdout.partition("to take it back: ")[2].partition("\n")[0]

    for words in (
        ("forget", "--id", told, "--how", "end"),
        ("correct", told, "--until", "2030"),
        ("forget", "--id", told),
    ):
        command = back(*words).split()
        assert command == ["recollect", "undo", "--db", "me.db", told]
        again = back("undo", told)
        assert again.startswith(("recollect undo ", "recollect forget ")), again
    (now,) = ask("list", "fact")["memories"]
    right = back("correct", now["id"], "--object", "Bruges").split()
    undone = back(*right[1:2], right[-1]).split()
    again = back(*undone[1:2], undone[-1]).split()
    assert back(*again[1:2], again[-1]).startswith("recollect undo ")
    assert "Pia lives in Ghent" in [one["text"] for one in ask("list", "fact")["memories"]]
    claim = ask("remember", "Pia likes rain", "-e", "user_statement=so")["claim"]["id"]
    back("forget", "--id", claim)
    assert back("undo", claim) == f"recollect forget --db me.db --id {claim} --how withdraw"
    assert back("forget", "--id", claim).endswith(claim)


def test_a_fact_that_is_told_late_is_not_said_to_have_ended_another(ask, cli):
    ask("remember", "--fact", "Pia", "lives_in", "Ghent", "--from", "2025-06")
    late = cli("remember", "--fact", "Pia", "lives_in", "Durban", "--from", "2005", "--db", "me.db")
    assert "remembered  Pia lives in Durban (2005 to 2025-06-01)" in late.stdout
    assert "ended" not in late.stdout
    newer = cli(
        "remember", "--fact", "Pia", "lives_in", "Bremen", "--from", "2026", "--db", "me.db"
    )
    assert "ended       Pia lives in Ghent (until 2026-01-01)\n" in newer.stdout


def test_a_corrected_claim_is_shown_as_it_was_before(ask, cli):
    said = ("-e", "user_statement=so")
    claim = ask("remember", "Pia likes rain", *said)["claim"]["id"]
    right = cli("correct", claim, "--text", "Pia likes snow", *said, "--db", "me.db").stdout
    assert f"before      Pia likes rain  {claim}\n" in right
    assert "superseded" not in right


@pytest.mark.parametrize(
    ("typed", "kept"), [("1.10", "1.10"), ("1e5", "1e5"), ("12345678901234567890",) * 2, ("4", 4)]
)
def test_a_number_that_would_be_written_otherwise_is_kept_as_it_is_typed(ask, typed, kept):
    told = ask("remember", "--fact", "VetDesk", "version", typed)
    (fact,) = told["facts"]
    assert fact["text"] == f"VetDesk version {kept}"
    found = ask("query", 'FIND(?o) WHERE { ({name: "VetDesk"}, "version", ?o) }')
    assert found["rows"][0][0]["type"] == ("Entity" if isinstance(kept, str) else "Number")


def test_who_tells_messages_stands_in_the_log(ask):
    told = ask("remember", "--message", "Rosa: I start on Monday", "--actor", "rosa")
    (episode,) = told["episodes"]
    assert '"actor": "rosa"' in json.dumps(ask("history", episode))


def test_who_forgets_by_a_question_is_told_what_more_is_known_and_how_that_goes(ask, cli):
    for predicate, target in (("works_at", "Bosch"), ("likes", "figs"), ("lives_in", "Ulm")):
        ask("remember", "--fact", "Tobias Kern", predicate, target)
    for sure in ((), ("--yes",)):
        done = cli("forget", "Tobias", "--limit", "1", *sure, "--db", "me.db").stdout
        assert "a question forgets what it finds: 1 of 3 memories of Tobias;" in done
        assert len(ask("list", "fact")["memories"]) == (2 if sure else 3)
    whole = next(one for one in done.splitlines() if one.startswith("Tobias Kern goes with all"))
    assert cli(*whole.partition(": recollect ")[2].split()).exit_code == 0
    assert ask("list", "fact")["memories"] == []
    assert "a question forgets" not in cli("forget", "who likes tea?", "--db", "me.db").stdout


def test_a_name_in_the_place_of_an_id_leads_to_the_id(ask, cli):
    ask("remember", "--fact", "Tobias Kern", "works_at", "Bosch")
    (tobias,) = ask("recall", "Tobias Kern", "--kind", "concept", "--limit", "1")["memories"]
    for words in (
        ("why", "Tobias"),
        ("why", "Tobias Kern"),
        ("undo", "Tobias"),
        ("correct", "Tobias"),
    ):
        refused = cli(*words, *(("--text", "x") if words[0] == "correct" else ()), "--db", "me.db")
        assert f"use {tobias['id']}, the id of Tobias Kern" in refused.stderr, words
    ask("remember", "--fact", "Tobias Roth", "works_at", "Bosch")
    assert "the id of" not in cli("why", "Tobias", "--db", "me.db").stderr


@pytest.mark.parametrize("option", ["--source", "--from", "--until", "--replaces"])
def test_what_only_a_fact_takes_is_refused_beside_a_claim(cli, tmp_path, option):
    words = ("Maria likes tea", "-e", "user_statement=tea please", option, "2020")
    refused = cli("remember", *words, "--db", "me.db")
    assert refused.exit_code == 2
    assert "are said of a --fact" in refused.stderr
    assert not (tmp_path / "me.db").exists()


def test_messages_are_told_at_the_terminal_and_found(ask, cli):
    lines = '{"role": "Bo", "content": "The boiler is mended"}\n\n{"content": "It is warm"}\n'
    told = cli(
        *("remember", "--message", "Ann: I moved to Lisbon", "--messages", "-", "--db", "me.db"),
        input=lines,
    )
    assert told.exit_code == 0, told.output
    assert "remembered  Ann: I moved to Lisbon  " in told.stdout
    assert "remembered  Bo: The boiler is mended  " in told.stdout
    assert len(ask("list", "episode")["memories"]) == 3
    assert "Lisbon" in texts(ask("recall", "Where did Ann move?"))[0]
    wrong = cli("remember", "--messages", "-", "--db", "me.db", input="hello\n")
    assert wrong.exit_code == 2
    assert "line 1 is not like" in wrong.stderr


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Jan 2026", "since 2026-01"),
        ("May 2026", "since 2026-05"),
        ("12 May 2026", "since 2026-05-12"),
        ("September 3, 2025", "since 2025-09-03"),
        ("3 Sep 2025", "since 2025-09-03"),
    ],
)
def test_a_month_or_a_day_in_words_is_taken_where_it_can_mean_nothing_else(ask, cli, said, kept):
    told = cli("remember", "--fact", "Pia", "lives_in", "Ghent", "--from", said, "--db", "me.db")
    assert f"Pia lives in Ghent ({kept})" in told.stdout
    (fact,) = ask("list", "fact")["memories"]
    put_right = cli("correct", fact["id"], "--until", "Nov 2026", "--db", "me.db").stdout
    assert f"({kept.removeprefix('since ')} to 2026-11-01)" in put_right


def test_words_that_nobody_is_named_for_are_shown_as_nobodys(cli):
    told = cli("remember", "--message", "It is warm", "--message", "Bo: So it is", "--db", "me.db")
    assert "remembered  (nobody named): It is warm  " in told.stdout
    assert "remembered  Bo: So it is  " in told.stdout


def test_who_says_me_and_is_not_known_is_told_what_to_type(cli):
    told = cli("remember", "--fact", "me", "likes", "tea", "--db", "me.db")
    assert "(recollect remember --db me.db --fact '$self' serves NAME;" in told.stderr
    assert "{" not in told.stderr


def test_what_is_refused_is_told_in_options(ask, cli):
    fact = ask("remember", "--fact", "Pia", "lives_in", "Ghent")["facts"][0]["id"]
    for words, said in (
        (("remember",), "say a claim, --fact, --message or --messages"),
        (("remember", "--fact", "Pia", "is", "1", "--from", "May"), "--from is 'May'"),
        (("remember", "--fact", "Pia", "is", "1", "--from", "5/2026"), "--from is '5/2026'"),
        (
            ("remember", "--fact", "Pia", "is", "1", "--from", "2026", "--until", "2025"),
            "say a later --until",
        ),
        (("correct", fact, "--until", "soon"), "--until is 'soon'"),
        (("correct", fact), "say --object, --text, --from"),
        (("forget",), "give --id or a question"),
        (("undo", fact), f"recollect forget --db me.db --id {fact}"),
        (("remember", "so", "-e", "observation=x"), "'observation' is no kind of evidence"),
        (("remember", "so", "-e", "x"), "'x' is not KIND=VALUE"),
    ):
        done = cli(*words, "--db", "me.db")
        assert done.exit_code in (1, 2)
        assert said in done.stderr, (words, done.stderr)


def test_the_help_names_each_kind_of_evidence_and_who_needs_one(cli):
    shown = " ".join(cli("remember", "--help").stdout.split())
    assert f"kinds: {', '.join(KINDS)}." in shown
    assert "in a script it needs one" in shown


def test_the_doctor_tells_of_facts_beside_a_newer_one_and_how_they_end(ask, cli):
    ask("remember", "--fact", "Rosa Klein", "lives_in", "Ulm", "--group", "x")
    told = ("--fact", "Rosa", "lives_in", "Bonn", "--from", "2024", "--group", "x", "--db", "me.db")
    joins = cli("remember", *told).stderr.partition("(recollect ")[2].partition(")")[0]
    joined = cli(*joins.split())
    assert "Rosa Klein lives_in Ulm" in joined.stderr
    assert '{"aliases": ["Rosa"]}' in joined.stdout
    shown = cli("doctor", "--db", "me.db")
    assert (shown.exit_code, "all is well" in shown.stdout) == (0, True)
    ends = shown.stdout.partition("end it: recollect ")[2].partition("\n")[0]
    assert "Rosa Klein lives in Ulm (until 2024-01-01)" in cli(*ends.split()).stdout
    assert json.loads(cli("doctor", "--db", "me.db", "--json").stdout)["result"]["both_hold"] == []


def test_a_reason_is_kept_with_what_is_put_right_or_forgotten(ask, cli):
    (told,) = ask("remember", "--fact", "Ida", "lives_in", "Ulm")["facts"]
    ask("correct", told["id"], "--object", "Bonn", "--reason", "she wrote so")
    (now,) = ask("list", "fact")["memories"]
    ask("forget", "--id", now["id"], "--how", "end", "--reason", "she left")
    for one, reason in ((told, "she wrote so"), (now, "she left")):
        steps = [
            step["metadata"] for step in ask("why", one["id"])["history"] if "metadata" in step
        ]
        assert steps[-1]["because"] == reason
    why = cli("why", now["id"], "--db", "me.db").stdout
    assert "corrects: Ida lives in Ulm (" in why and "because she wrote so)" in why
    erased = ("forget", "--id", now["id"], "--how", "erase", "--reason", "she asked", "--yes")
    gone = cli(*erased, "--db", "me.db")
    assert gone.exit_code == 0 and "erased" in gone.stdout


def test_words_that_nobody_quoted_are_one_question(ask, cli):
    ask("remember", "--fact", "Ann Blake", "works_at", "BMW")
    assert texts(
        ask("recall", "where", "does", "Ann", "work", "--kind", "fact", "--limit", "1")
    ) == ["Ann Blake works at BMW"]
    more = cli("recall", "where", "does Ann", "work", "--limit", "1", "--db", "me.db")
    assert "recollect recall --db me.db 'where does Ann work' --limit 1" in more.stdout
    assert "About Ann Blake:" in ask("brief", "Ann", "Blake")["text"]
    assert texts(ask("forget", "Ann", "works at", "BMW")) == ["Ann Blake works at BMW"]


def test_the_options_of_time_are_named_where_a_cursor_keeps_its_own(ask, cli):
    for place in ("Rome", "Oslo"):
        ask("remember", "--fact", "Ann", "visited", place)
    cursor = ask("recall", "what has Ann visited", "--limit", "1")["cursor"]
    asked = ("recall", "what has Ann visited", "--cursor", cursor, "--transaction", "1")
    told = cli(*asked, "--db", "me.db")
    assert "--valid, --known or --transaction is given with a cursor" in told.stderr
    assert "hint: leave --valid, --known or --transaction out\n" in told.stderr
    assert "as_of" not in told.stderr


def test_a_persons_own_word_is_evidence_that_refers_to_nothing(cli):
    with recollect.memory("me.db", is_person=True) as memory:
        claim = memory.remember("The key is under the mat").claim
    assert "\n            human_assertion\n" in cli("why", claim.id, "--db", "me.db").stdout
    assert "human_assertion:" not in cli("claim", "show", claim.id, "--db", "me.db").stdout


@pytest.mark.parametrize(
    "told",
    [
        ("--fact", "Ann", "likes", "tea"),
        ("Ann likes tea", "-e", "user_statement=tea"),
        ("--messages", "-"),
    ],
)
def test_what_is_told_twice_was_known_already(cli, told):
    message = '{"content": "Tea?", "timestamp": "2026-01-02T03:04:05Z"}'
    first = cli("remember", *told, "--db", "me.db", input=message)
    again = cli("remember", *told, "--db", "me.db", input=message)
    assert first.stdout.startswith("remembered  ")
    assert again.stdout.startswith("known already ")
    assert again.stdout.split()[2:] == first.stdout.split()[1:]
    ended = cli("remember", "--fact", "Ann", "likes", "tea", "--until", "2020", "--db", "me.db")
    assert ended.stdout.startswith("remembered  ")
    if "--messages" not in told:
        cli("forget", "--id", first.stdout.split()[-1], "--db", "me.db")
        told_once_more = cli("remember", *told, "--db", "me.db")
        assert told_once_more.stdout.startswith("remembered  ")

"""What UPDATE, MERGE, EXPORT and a lost race look like to people."""

from __future__ import annotations

from tests.servers.cli.conftest import Cli, answer

UPDATE = 'UPDATE ?d SET ATTRIBUTES { seen: ADD(COALESCE(?d.attributes.seen, 0), 1) } WHERE { ?d {type: "Drug"} } LIMIT 1'
MERGE = 'MERGE CONCEPT ?a INTO ?b WHERE { ?a {name: "Aspirin"} ?b {name: "Ibuprofen"} }'
EXPORT = 'EXPORT ?d WHERE { ?d {type: "Drug"} } LIMIT 1'
GUARDED = 'UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"} EXPECT VERSION 7 } }'


def test_an_update_counts_what_it_changed(cli: Cli, memory: str) -> None:
    assert cli("run", "-", "--db", memory, input=UPDATE).stdout == "changed 1 of 1 element\n"
    kept = answer(cli("run", "-", "--db", memory, "--json", input=UPDATE))
    assert kept == {"result": {"updated": 1, "matched": 1}}
    dry = cli("run", "-", "--db", memory, "--dry-run", input=UPDATE).stdout
    assert dry == "changed 1 of 1 element (dry run: nothing is kept)\n"


def test_a_merge_says_what_became_of_the_links(cli: Cli, memory: str) -> None:
    shown = cli("run", "-", "--db", memory, input=MERGE).stdout
    assert shown == "merged two concepts, 1 link moved, 2 attributes filled\n"
    again = cli("run", "-", "--db", memory, input=MERGE)
    assert again.exit_code == 1
    assert (
        'hint: go on: it was merged into {type: "Drug", name: "Ibuprofen"} already' in again.stderr
    )


def test_a_capsule_is_shown_as_text_that_can_be_run(cli: Cli, memory: str) -> None:
    shown = cli("query", EXPORT, "--db", memory).stdout
    capsule, _, footer = shown.rstrip("\n").rpartition("\n")
    assert footer.startswith('1 concept and 0 links; the next page: CURSOR "')
    ran = cli("run", "-", "--db", "other.db", input=capsule)
    assert ran.stdout.startswith("remembered 1 concept")


def test_a_lost_race_names_the_version_that_is_there(cli: Cli, memory: str) -> None:
    lost = cli("run", "-", "--db", memory, input=GUARDED)
    assert lost.exit_code == 1
    assert (
        'KIP_3005 VersionConflict: {type: "Drug", name: "Aspirin"} is at version 1, not 7'
        in lost.stderr
    )
    assert "EXPECT VERSION 1" in lost.stderr

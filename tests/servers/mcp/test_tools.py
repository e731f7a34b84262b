"""Every tool, as a client of the protocol's own library meets it over standard input and output."""

from __future__ import annotations

import json

import anyio
import pytest

import recollect
from recollect.faces.claims import NexusKnowledgeStore
from recollect.faces.kip import execute_kip

SAID = [{"kind": "user_statement", "detail": "I drink tea"}]
WORKS = {"subject": "Ann", "predicate": "works_at", "object": {"type": "Company", "name": "Acme"}}


def fill(path, count: int, body: str = "") -> None:
    """Make a memory with so many drugs, in a group beside a decoy."""
    for group in ("default", "decoy"):
        with recollect.open(path, group=group) as nexus:
            blocks = "".join(
                f'CONCEPT @d{at} {{ {{type: "Drug", name: "{group} drug {at}"}}'
                f' SET ATTRIBUTES {{ note: "{body}" }} }}\n'
                for at in range(count)
            )
            assert "result" in execute_kip(nexus, f"UPSERT {{ {blocks} }}")


@pytest.mark.parametrize(("mode", "revision"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_both_revisions_are_spoken_and_the_tools_say_what_they_do(talk, mode, revision):
    async def script(agent):
        assert agent.client.protocol_version == revision
        assert "long-term memory" in agent.client.instructions
        tools = {one.name: one for one in (await agent.client.list_tools()).tools}
        reading = {name for name, one in tools.items() if one.annotations.read_only_hint}
        assert reading == {
            *("recall", "list_memories", "brief", "explain_memory", "execute_kip_readonly"),
            *("provide_knowledge", "read_markup"),
        }
        writing = {"remember", "correct", "forget", "add_episode", "execute_kip"}
        writing |= {"add_knowledge", "apply_markup"}
        assert set(tools) - reading == writing
        destructive = {name for name, one in tools.items() if one.annotations.destructive_hint}
        assert destructive == {"forget", "execute_kip", "apply_markup"}
        assert tools["remember"].annotations.idempotent_hint
        assert all(one.description and one.input_schema for one in tools.values())

    talk(script, mode=mode)


def test_what_is_remembered_is_recalled_with_its_clocks_and_sources(talk):
    async def script(agent):
        fact = {**WORKS, "source": "the handbook", "confidence": 0.9, "valid_at": "2024-01-31"}
        kept = await agent.call("remember", text="Ann drinks tea", evidence=SAID, facts=[fact])
        assert kept["facts"][0]["text"] == "Ann works at Acme"
        again = await agent.call("remember", text="Ann drinks tea", evidence=SAID, facts=[fact])
        assert again == kept
        await agent.call("add_episode", body="Ann: the train was late", uuid="e1")
        found = (await agent.call("recall", question="Ann"))["memories"]
        kinds = {one["kind"]: one for one in found}
        assert sorted(one["kind"] for one in found) == ["claim", "concept", "episode", "fact"]
        assert all(0 < one["score"] <= 1 and one["created_at"] for one in found)
        assert [one["score"] for one in found] == sorted(
            (one["score"] for one in found), reverse=True
        )
        assert kinds["fact"]["valid_at"] == "2024-01-31T00:00:00.000Z"
        assert (kinds["fact"]["source"], kinds["fact"]["confidence"]) == ("the handbook", 0.9)
        assert kinds["claim"]["evidence"] == SAID
        assert kinds["episode"]["id"] == "e1"

    talk(script)


def test_a_fact_joins_a_claim_that_is_there_and_makes_none(talk):
    async def script(agent):
        fact = {"subject": "Ann", "predicate": "trusts"}
        for kind in ("Claim", "Evidence", "Episode"):
            told = {**fact, "object": {"type": kind, "name": "made up"}}
            error = await agent.error("remember", facts=[told])
            assert error["code"] == "KIP_3002"
        kept = await agent.call("remember", text="Ann drinks tea", evidence=SAID)
        told = {**fact, "object": {"type": "Claim", "name": kept["claim"]["id"]}}
        await agent.call("remember", facts=[told])
        command = 'FIND(?c.name, ?s.name) WHERE { ?c {type: "Claim"} (?s, "trusts", ?c) }'
        answer = await agent.call("execute_kip_readonly", command=command)
        assert answer["result"]["rows"] == [[kept["claim"]["id"], "Ann"]]

    talk(script)


def test_a_name_means_the_one_thing_called_so_and_becomes_what_it_is_said_to_be(talk):
    async def script(agent):
        lives = {"subject": "Maria Lopez", "predicate": "lives_in", "object": "Munich"}
        await agent.call("remember", facts=[lives])
        maria = {"type": "Person", "name": "Maria Lopez"}
        works = {"subject": maria, "predicate": "works_at", "object": "BMW"}
        await agent.call("remember", facts=[works])
        likes = {"subject": "maria lopez", "predicate": "likes", "object": "tea"}
        await agent.call("remember", facts=[likes])
        command = 'FIND(?x.type, ?p) WHERE { ?x {name: "Maria Lopez"} (?x, ?p, ?o) }'
        rows = (await agent.call("execute_kip_readonly", command=command))["result"]["rows"]
        assert sorted(rows) == [["Person", "likes"], ["Person", "lives_in"], ["Person", "works_at"]]
        country = {"subject": {"type": "Country", "name": "BMW"}, "predicate": "is", "object": "no"}
        cat = {"subject": {"type": "Cat", "name": "BMW"}, "predicate": "is", "object": "no"}
        await agent.call("remember", facts=[country, cat])
        told = {"subject": "BMW", "predicate": "is", "object": "what"}
        error = await agent.error("remember", facts=[told])
        assert error["code"] == "KIP_3003"
        assert [one["type"] for one in error["details"]["candidates"]] == ["Country", "Cat"]

    talk(script)


def test_recall_asks_about_other_times_and_only_for_some_kinds(talk):
    async def script(agent):
        await agent.call(
            "remember", facts=[{**WORKS, "valid_at": "2020-01-01", "invalid_at": "2022-01-01"}]
        )
        asked = {"question": "Ann Acme", "kinds": ["fact"]}
        assert (await agent.call("recall", **asked))["memories"] == []
        (then,) = (await agent.call("recall", **asked, as_of={"valid": "2021-01-01"}))["memories"]
        assert then["predicate"] == "works_at"
        before = await agent.call("recall", **asked, as_of={"valid": "2021-01-01", "known": 0})
        assert before["memories"] == []
        two = await agent.call("recall", question="Ann Acme", kinds=["concept", "claim"])
        assert {one["kind"] for one in two["memories"]} == {"concept"}

    talk(script)


def test_the_pages_of_a_recall_show_everything_once(talk, path):
    fill(path, 30)

    async def script(agent):
        seen, cursor = [], {}
        for _ in range(40):
            page = await agent.call("recall", question="drug", limit=25, max_tokens=400, **cursor)
            seen += [one["name"] for one in page["memories"]]
            assert 1 <= len(page["memories"]) < 25
            if "next_cursor" not in page:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert sorted(seen) == sorted(f"default drug {at}" for at in range(30))

    talk(script)


def test_a_memory_is_explained_by_its_evidence_episodes_and_past(talk):
    async def script(agent):
        kept = await agent.call("remember", text="Ann drinks tea", evidence=SAID, facts=[WORKS])
        claim = await agent.call("explain_memory", id=kept["claim"]["id"])
        assert claim["memory"]["evidence"] == SAID
        assert [one["event"] for one in claim["events"]] == ["created"]
        fact = await agent.call("explain_memory", id=kept["facts"][0]["id"])
        assert [(one["operation"], one["actor"]) for one in fact["history"]] == [("create", "mcp")]
        for level in (1, 2, 3):
            text = 'UPSERT { CONCEPT @a { {type: "Drug", name: "A"} SET ATTRIBUTES { level: $level } } }'
            await agent.call("execute_kip", command=text, parameters={"level": level})
        (drug,) = (await agent.call("recall", question="A", kinds=["concept"], limit=1))["memories"]
        first = await agent.call("explain_memory", id=drug["id"], limit=2)
        rest = await agent.call("explain_memory", id=drug["id"], cursor=first["next_cursor"])
        steps = first["history"] + rest["history"]
        assert [one["attributes"]["level"] for one in steps] == [1, 2, 3]

    talk(script)


def test_an_episode_that_states_facts_is_learnt_from(talk):
    body = json.dumps(
        {
            "nodes": [{"name": "Ann", "tmp_ref": "a"}, {"name": "Acme", "tmp_ref": "b"}],
            "edges": [
                {
                    "name": "WORKS_AT",
                    "fact": "Ann works at Acme",
                    "source_ref": "a",
                    "target_ref": "b",
                }
            ],
        }
    )

    async def script(agent):
        accepted = await agent.call("add_episode", body=body, source="json", uuid="e1")
        assert accepted["accepted"] == 1
        found: list = []
        while not found:
            found = (await agent.call("recall", question="Ann", kinds=["fact"]))["memories"]
        assert found[0]["episodes"] == ["e1"]
        explained = await agent.call("explain_memory", id=found[0]["id"])
        assert [one["id"] for one in explained["episodes"]] == ["e1"]

    talk(script)


def test_a_listed_concept_has_its_type_and_name(talk):
    async def script(agent):
        await agent.call("remember", facts=[{**WORKS, "fact": "Ann is at Acme"}])
        concepts = (await agent.call("list_memories", kind="concept"))["memories"]
        assert {(one["type"], one["name"]) for one in concepts} == {
            ("Company", "Acme"),
            ("Entity", "Ann"),
        }
        (fact,) = (await agent.call("list_memories", kind="fact"))["memories"]
        assert (fact["text"], "name" in fact) == ("Ann is at Acme", False)

    talk(script)


def test_kip_runs_and_the_reading_tool_writes_nothing(talk):
    write = 'UPSERT { CONCEPT @a { {type: "Drug", name: $name} } }'
    read = 'FIND(?d.name) WHERE { ?d {type: "Drug"} }'

    async def script(agent):
        await agent.call("execute_kip", command=write, parameters={"name": "A"})
        refused = await agent.error("execute_kip_readonly", command=write, parameters={"name": "B"})
        assert refused["code"] == "KIP_1001"
        answer = await agent.call("execute_kip_readonly", command=read)
        assert answer["result"]["rows"] == [["A"]]

    talk(script)


def test_a_large_answer_is_cut_and_its_cursor_leads_to_the_rest(talk, path):
    fill(path, 300, "x" * 400)
    query = 'FIND(?d.name, ?d.attributes.note) WHERE { ?d {type: "Drug"} }'

    async def script(agent):
        first = await agent.call("execute_kip_readonly", command=query)
        result = first["result"]
        assert [one["code"] for one in first["warnings"]] == ["truncated"]
        assert 50 < len(result["rows"]) < 300
        cursor = json.dumps(result["next_cursor"])
        rest = await agent.call("execute_kip_readonly", command=f"{query} CURSOR {cursor}")
        names = [one[0] for one in result["rows"] + rest["result"]["rows"]]
        while "next_cursor" in rest["result"]:
            cursor = json.dumps(rest["result"]["next_cursor"])
            rest = await agent.call("execute_kip_readonly", command=f"{query} CURSOR {cursor}")
            names += [one[0] for one in rest["result"]["rows"]]
        assert sorted(names) == sorted(f"default drug {at}" for at in range(300))
        limited = await agent.call("execute_kip_readonly", command=f"{query} LIMIT 299")
        assert "LIMIT" in limited["warnings"][0]["hint"]

    talk(script)


def test_an_error_says_how_to_mend_the_call(talk):
    async def script(agent):
        error = await agent.error("execute_kip", command='FIND(?x) WHERE { ?x {type: "Drug"}')
        assert error["fix"]["text"] == "}"
        assert error["retry"] == "change_request"
        wrong = [
            ("remember", {}, "nothing to remember"),
            ("remember", {"text": "Ann drinks tea"}, "no evidence"),
            ("remember", {"evidence": SAID}, "nothing to remember"),
            ("remember", {"facts": [WORKS], "evidence": SAID}, "without the text"),
            ("remember", {"text": "x", "evidence": [{"kind": "rumour"}]}, "rumour"),
            ("remember", {"facts": [{**WORKS, "valid_at": "soon"}]}, "facts[0].valid_at"),
            ("remember", {"facts": [{"subject": "Ann"}]}, "facts[0].predicate"),
            ("recall", {"question": " "}, "blank"),
            ("recall", {"question": "x", "cursor": "1"}, "cursor"),
            ("recall", {"question": "x", "limit": 0}, "limit"),
            ("recall", {"question": "x", "as_of": {"valid": "soon"}}, "as_of.valid"),
            ("explain_memory", {"id": "nobody"}, "no memory has this id"),
            ("explain_memory", {"id": "nobody", "cursor": "x"}, "no memory has this id"),
            ("add_episode", {"body": "x", "reference_time": "soon"}, "reference_time"),
            ("recal", {}, "no tool"),
        ]  # fmt: skip
        for name, given, message in wrong:
            error = await agent.error(name, **given)
            assert message in error["message"], (name, given, error)
            assert error["retry"]
            assert error["hint"], error
        for name, shape in (
            ("evidence", '{"kind": ..., "detail": ..., "id": ...}'),
            ("facts", '{"subject": ..., "predicate": ..., "object": ...}'),
        ):
            error = await agent.error("remember", **{name: "she said so"})
            assert error["hint"] == f"pass {name} as a list such as [{shape}]"

    talk(script)


def test_an_error_names_what_is_not_known_and_the_form_of_what_is_wrong(talk):
    verb = {"subject": "Ann", "verb": "likes", "object": "tea"}
    wrong = [
        ("remember", {"facts": [verb]}, "facts[0] has no member verb", "use predicate"),
        (
            "recall",
            {"query": "Kwame"},
            "question is missing, and query is not a field of this operation",
            "use question",
        ),
        ("recall", {"question": "x", "limt": 3}, "limt is not a field", "use limit"),
        (
            "recall",
            {"question": "x", "limit": "three"},
            "limit is not a whole number",
            "pass limit as a whole number",
        ),
        (
            "recall",
            {"question": "x", "kinds": "facts"},
            "kinds is not a list",
            "pass kinds as a list",
        ),
        (
            "remember",
            {"messages": [{"content": "Hi", "time": "2024"}]},
            "messages[0].time is not a field",
            "use one of timestamp, ",
        ),
        ("explain_memory", {"id": "nobody"}, "no memory has this id: nobody", "recall it"),
    ]

    async def script(agent):
        for name, given, message, hint in wrong:
            error = await agent.error(name, **given)
            assert message in error["message"], (name, given, error)
            assert hint in error["hint"], (name, given, error)

    talk(script)


def test_a_claim_that_is_there_is_told_as_it_stands(talk, path):
    async def script(agent):
        told = {"text": "Ann drinks tea", "evidence": SAID}
        kept = await agent.call("remember", **told, confidence=0.9)
        assert (kept["claim"]["status"], kept["claim"]["confidence"]) == ("observed", 0.9)
        assert "warnings" not in kept
        assert await agent.call("remember", **told) == kept
        again = await agent.call("remember", **told, confidence=0.1)
        assert again["claim"] == kept["claim"]
        assert [one["code"] for one in again["warnings"]] == ["claim_stays"]
        with recollect.open(path) as nexus:
            store = NexusKnowledgeStore(nexus)
            await store.transition(kept["claim"]["id"], "verified")
            verified = await agent.call("remember", **told)
            assert verified == {"claim": {**kept["claim"], "status": "verified"}}
            await store.transition(kept["claim"]["id"], "disputed")
        again = await agent.call("remember", **told, confidence=0.9)
        assert again["claim"]["status"] == "disputed"
        (warning,) = again["warnings"]
        assert "is disputed" in warning["message"]
        assert (await agent.call("recall", question="tea", kinds=["claim"]))["memories"] == []

    talk(script)


def test_a_superseded_claim_names_the_newer_one_and_is_an_end_by_its_words(talk, path):
    async def script(agent):
        older = await agent.call("remember", text="Ann drinks tea", evidence=SAID)
        newer = await agent.call("remember", text="Ann drinks coffee", evidence=SAID)
        with recollect.open(path) as nexus:
            ids = older["claim"]["id"], newer["claim"]["id"]
            await NexusKnowledgeStore(nexus).supersede(*ids)
            (rows,) = nexus.read('FIND(?l.id) WHERE { ?l (?a, "supersedes", ?b) }').results
        explained = (await agent.call("explain_memory", id=ids[0]))["memory"]
        assert (explained["status"], explained["superseded_by"]) == ("superseded", ids[1])
        link = (await agent.call("explain_memory", id=rows.rows[0][0]))["memory"]
        assert (link["subject"], link["object"]) == ("Ann drinks coffee", "Ann drinks tea")

    talk(script)


def test_a_claim_without_evidence_is_refused_and_asks_for_attention(talk, path):
    async def script(agent):
        error = await agent.error("remember", text="a rumour", facts=[WORKS])
        assert error["details"]["reason_code"] == "knowledge.rejected.empty_evidence"
        with recollect.open(path) as nexus:
            (item,) = await NexusKnowledgeStore(nexus).attention()
        assert item.fingerprint == error["details"]["fingerprint"]
        assert "pass evidence" in error["hint"]
        primer = await agent.read("recollect://primer")
        assert (primer["summary"]["concepts"], primer["domain_map"]) == (0, [])
        assert (item.text, item.reason) == (
            "a rumour",
            "mcp attempted to write it without evidence",
        )
        assert (await agent.call("recall", question="rumour"))["memories"] == []

    talk(script)


def test_a_number_and_a_truth_are_what_facts_are_told_about(talk):
    told = [("age", 42), ("age", 42.0), ("height", 1.75), ("drinks_tea", True), ("smokes", False)]

    async def script(agent):
        facts = [{"subject": "Ann", "predicate": name, "object": value} for name, value in told]
        kept = (await agent.call("remember", facts=facts))["facts"]
        assert len({one["id"] for one in kept}) == 4
        assert kept[1]["text"] == "Ann age 42"
        assert kept[3]["text"] == "Ann drinks tea true"
        found = (await agent.call("recall", question="Ann", kinds=["fact"]))["memories"]
        values = {one["predicate"]: one["object"] for one in found}
        assert values == dict(told)
        assert (type(values["age"]), values["smokes"]) == (int, False)
        old = 'FIND(?p.name) WHERE { (?p, "age", ?n) FILTER(?n.attributes.value > 40) }'
        answer = await agent.call("execute_kip_readonly", command=old)
        assert answer["result"]["rows"] == [["Ann"]]

    talk(script)


def test_an_error_names_a_field_as_it_was_written_and_once(talk):
    wrong = {
        "facts[0].object": [[], None, ""],
        "facts[0].object.name": [{"type": "Company"}, {"type": "Company", "name": 7}],
        "facts[0].object.of": [{"type": "Company", "name": "Acme", "of": "x"}],
    }

    async def script(agent):
        for field, values in wrong.items():
            for value in values:
                error = await agent.error("remember", facts=[{**WORKS, "object": value}])
                assert error["message"].startswith(f"{field} is "), error
                assert [one["field"] for one in error["details"]["fields"]] == [field]
        error = await agent.error("remember", facts=[{**WORKS, "object": ""}])
        assert error["message"] == "facts[0].object is empty"
        error = await agent.error("remember", facts=[{**WORKS, "until": "2024"}])
        assert "no member until; a fact has subject, " in error["message"]
        assert error["hint"] == "use invalid_at"
        error = await agent.error("list_memories", kind="facts")
        assert error["hint"] == "use one of those"
        backwards = {**WORKS, "valid_at": "2024-01-01", "invalid_at": "2023-01-01"}
        error = await agent.error("remember", facts=[WORKS, backwards])
        assert error["message"].startswith("facts[1].valid_at 2024-01-01")
        error = await agent.error("recall", question="x", as_of={"known": []})
        assert error["message"] == "as_of.known is not a string or a whole number"
        text = await agent.text("recall", question="x", as_of={"known": []})
        assert text.count("INVALID_ARGUMENT") == 1

    talk(script)


def test_nothing_of_a_call_is_kept_when_one_part_is_wrong(talk):
    async def script(agent):
        twice = {**WORKS, "valid_at": "2024-01-01", "invalid_at": "2023-01-01"}
        await agent.error("remember", text="Ann drinks tea", evidence=SAID, facts=[twice])
        assert (await agent.call("recall", question="Ann tea"))["memories"] == []

    talk(script)


def test_a_reading_server_offers_and_runs_nothing_that_writes(talk, path):
    fill(path, 1)

    async def script(agent):
        tools = {one.name for one in (await agent.client.list_tools()).tools}
        assert tools == {
            *("recall", "list_memories", "brief", "explain_memory", "execute_kip_readonly"),
            *("provide_knowledge", "read_markup"),
        }
        for name in ("remember", "add_episode", "import_file", "execute_kip"):
            assert (await agent.error(name))["code"] == "PERMISSION_DENIED"
        for write in ('UPSERT { CONCEPT @a { {type: "Drug", name: "A"} } }', "DELETE CONCEPT ?x"):
            error = await agent.error("execute_kip_readonly", command=write)
            assert error["code"].startswith("KIP_1")
        assert [one.name for one in (await agent.client.list_prompts()).prompts] == ["bootstrap"]
        assert (await agent.call("recall", question="drug"))["memories"]

    talk(script, "--read-only")


def test_a_group_sees_nothing_of_another(talk, path):
    fill(path, 3)

    async def script(agent):
        found = (await agent.call("recall", question="drug"))["memories"]
        assert sorted(one["name"] for one in found) == [f"decoy drug {at}" for at in range(3)]

    talk(script, "--group", "decoy")


def test_two_clients_write_one_file_at_once(talk):
    async def script(one, other):
        async def write(agent, name: str) -> None:
            for at in range(15):
                await agent.call("remember", facts=[{**WORKS, "subject": f"{name} {at}"}])

        async with anyio.create_task_group() as both:
            both.start_soon(write, one, "Ann")
            both.start_soon(write, other, "Bob")
        query = (
            'FIND(COUNT(?link)) WHERE { ?link (?who, "works_at", {type: "Company", name: "Acme"}) }'
        )
        for agent in (one, other):
            answer = await agent.call("execute_kip_readonly", command=query)
            assert answer["result"]["rows"] == [[30]]

    talk(script, agents=2)


def test_what_the_tools_cost_a_client_is_bounded(talk):
    def tokens(tools) -> float:
        return sum(len(one.model_dump_json(by_alias=True, exclude_none=True)) for one in tools) / 4

    async def script(agent):
        tools = {one.name: one for one in (await agent.client.list_tools()).tools}
        others = {
            "knowledge": ("provide_knowledge", "add_knowledge"),
            "markup": ("read_markup", "apply_markup"),
        }
        for names in others.values():
            assert tokens([tools.pop(name) for name in names]) <= 500
        assert len(tools) == 10
        assert tokens(tools.values()) <= 3_500

    talk(script)


def test_the_way_of_a_memory_is_gone_by_tools(talk):
    async def script(agent):
        works = {"subject": "Maria", "predicate": "works_at", "object": "Siemens"}
        first = await agent.call("remember", facts=[{**works, "valid_at": "2019"}])
        told = await agent.call(
            "remember", facts=[{**works, "object": "BMW", "valid_at": "2026-05"}]
        )
        assert [one["id"] for one in told["ended"]] == [first["facts"][0]["id"]]
        found = await agent.call("recall", question="Where does Maria work?", kinds=["fact"])
        assert [one["text"] for one in found["memories"]] == ["Maria works at BMW"]
        bmw = told["facts"][0]["id"]
        corrected = await agent.call("correct", id=bmw, object="Audi")
        assert corrected["memory"]["text"] == "Maria works at Audi"
        back = json.loads(corrected["undo"].removeprefix("correct with "))
        undone = await agent.call("correct", **back)
        assert undone["memory"]["text"] == "Maria works at BMW"
        brief = await agent.call("brief", topic="Maria")
        assert "- Maria works at BMW" in brief["text"]
        shown = await agent.call("forget", question="Maria BMW")
        assert shown["dry_run"] and "undo" not in shown
        assert "Maria works at BMW" in [one["text"] for one in shown["memories"]]
        gone = await agent.call("forget", id=undone["memory"]["id"], effect="end", at="2026-11-01")
        assert gone["memories"][0]["standing"] == "until 2026-11-01"
        assert gone["undo"] == 'correct with its id and "undo": true, and it holds on'
        listed = await agent.call("list_memories", about="Maria", kind="fact", past=True)
        standings = {one.get("standing") for one in listed["memories"]}
        assert {"until 2026-05-01", "until 2026-11-01"} <= standings
        assert any(one.startswith("corrected ") for one in standings)  # BMW, and Audi is withdrawn
        error = await agent.error("forget", id=bmw, effect="erase")
        assert error["code"] == "PERMISSION_DENIED"
        assert "--allow-erase" in error["hint"]

    talk(script)


def test_an_allowed_client_erases_for_ever(talk):
    async def script(agent):
        fact = {"subject": "Maria", "predicate": "likes", "object": "tea"}
        (kept,) = (await agent.call("remember", facts=[fact]))["facts"]
        gone = await agent.call("forget", id=kept["id"], effect="erase")
        assert kept["id"] in gone["receipts"][0]["ids"]
        assert gone["undo"] == "it cannot be undone"
        assert (await agent.error("explain_memory", id=kept["id"]))["code"] == "NOT_FOUND"

    talk(script, "--allow-erase")

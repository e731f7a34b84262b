"""How much an answer says, however much is stored or asked: never more than a model can read."""

from __future__ import annotations

import json

MOST = 150_000  # bytes of one answer: twice what it holds, as text and as structured content


def size(answer) -> int:
    return len(answer.model_dump_json())


def test_a_row_that_is_too_large_is_shown_by_its_beginning(talk):
    write = 'UPSERT { CONCEPT @a { {type: "Big", name: $name} SET ATTRIBUTES { note: $note } } }'

    async def script(agent):
        for at in range(2):
            note = "é" * 100_000
            await agent.call(
                "execute_kip", command=write, parameters={"name": f"b{at}", "note": note}
            )
        cursor, shown = "", []
        while True:
            read = f'FIND(?b) WHERE {{ ?b {{type: "Big"}} }} LIMIT 1 {cursor}'
            answer = await agent.call("execute_kip_readonly", command=read)
            assert answer["result"]["truncated"]
            assert answer["warnings"][0]["code"] == "truncated"
            shown.append(json.dumps(answer))
            if "next_cursor" not in answer["result"]:
                break
            cursor = f'CURSOR "{answer["result"]["next_cursor"]}"'
        assert [f"b{at}" in text for at, text in enumerate(shown)] == [True, True]
        assert all(len(text) < MOST for text in shown)

    talk(script)


def test_an_error_repeats_only_the_beginning_of_a_long_text(talk):
    long = "y" * 200_000
    node = {"subject": "a", "predicate": "b", "object": "c"}

    async def script(agent):
        for name, given in [
            ("execute_kip_readonly", {"command": f'FIND(?{long}) WHERE {{ ?d {{type: "D"}} }}'}),
            ("remember", {"facts": [{**node, "valid_at": long}]}),
            ("remember", {long: 1}),
            ("recall", {"question": "a", "as_of": {"valid": long}}),
            (long, {}),
        ]:
            answer = await agent.client.call_tool(name, given)
            assert answer.is_error
            assert size(answer) < MOST
            error = answer.structured_content["error"]
            assert {"code", "message", "retry"} <= set(error)

    talk(script)


def test_long_names_and_much_evidence_fit_into_every_resource_and_answer(talk):
    blocks = "".join(
        f'CONCEPT @c{at} {{ {{type: "T{at}{"t" * 3_000}", name: "{"n" * 3_000}{at}"}} }}\n'
        for at in range(60)
    )
    evidence = [
        {"kind": "message", "detail": f"{at}{'d' * 3_000}", "path": "p" * 3_000} for at in range(20)
    ]

    async def script(agent):
        kept = await agent.call("remember", text="A claim", evidence=evidence)
        explained = await agent.ask("explain_memory", id=kept["claim"]["id"], limit=50)
        assert size(explained) < MOST
        assert explained.structured_content["events"][0]["truncated"]
        assert "result" in await agent.call("execute_kip", command=f"UPSERT {{ {blocks} }}")
        for uri in ("primer", "schema", "changes", "changes/1"):
            (contents,) = (await agent.client.read_resource(f"recollect://{uri}")).contents
            assert len(contents.text) < MOST
        log = await agent.read("recollect://changes")
        while not log["is_last"]:
            log = await agent.read(log["next"])
        assert log["transactions"][-1]["changed"] == 60
        for prompt in ("bootstrap", "maintenance"):
            assert size(await agent.client.get_prompt(prompt)) < MOST

    talk(script)

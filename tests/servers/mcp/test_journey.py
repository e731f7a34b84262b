"""What a person does with a memory, gone through a client of the protocol."""

from __future__ import annotations

import json

from tests.faces.memory.journey import MARIA

from behind import BYTES


def texts(answer: dict) -> list[str]:
    return [one["text"] for one in answer["memories"]]


def test_what_is_to_be_forgotten_is_shown_first_and_nothing_is_erased_unless_allowed(talk):
    async def script(agent):
        told = (await agent.call("remember", facts=MARIA))["facts"]
        tea = told[1]["id"]
        shown = await agent.call("forget", question="green tea")
        assert shown["dry_run"]
        assert "Maria likes green tea" in texts(await agent.call("list_memories", about="Maria"))
        refused = await agent.error("forget", id=tea, effect="erase")
        assert refused["code"] == "PERMISSION_DENIED"
        gone = await agent.call("forget", id=tea)
        assert (gone["effect"], gone["dry_run"]) == ("withdraw", False)
        left = texts(await agent.call("list_memories", about="Maria"))
        assert "Maria likes green tea" not in left
        past = await agent.call("explain_memory", id=tea)
        assert past["history"][-1]["operation"] == "close"

    talk(script)


def test_a_first_name_is_joined_by_the_text_that_is_proposed(talk):
    async def script(agent):
        known = {"subject": "Rosa Klein", "predicate": "works_at", "object": "Miele"}
        await agent.call("remember", facts=[known])
        fact = {"subject": "Rosa", "predicate": "likes", "object": "figs"}
        (notice,) = (await agent.call("remember", facts=[fact]))["warnings"]
        await agent.call("correct", **json.loads(notice["hint"].removeprefix("correct with ")))
        about = texts(await agent.call("list_memories", about="Rosa"))
        assert "Rosa Klein works at Miele" in about

    talk(script, "--tools", "memory")


def test_what_was_said_has_an_id_by_which_it_is_explained_and_forgotten(talk):
    async def script(agent):
        said = {"role": "Ann", "content": "The ferry goes to Trelleborg."}
        (ferry,) = (await agent.call("remember", messages=[said]))["episodes"]
        kept = await agent.call("add_episode", body="The harbour was closed by fog.")
        assert (kept["accepted"], bool(kept["receipt_id"])) == (1, True)
        for words, id in (("Where does the ferry go?", ferry), ("the harbour", kept["id"])):
            found = await agent.call("recall", question=words, kinds=["episode"])
            assert [one["id"] for one in found["memories"]] == [id]
            await agent.call("forget", id=id)
            found = await agent.call("recall", question=words, kinds=["episode"])
            assert found["memories"] == []
        own = await agent.call("add_episode", body="A tram came.", uuid="tram-1")
        assert own["id"] == "tram-1"

    talk(script, "--tools", "memory")


def test_a_beginning_that_is_told_anew_is_answered_with_a_call_that_undoes_it(talk):
    async def script(agent):
        await agent.call("remember", facts=MARIA)
        told = await agent.call("remember", facts=[{**MARIA[0], "valid_at": "2018"}])
        assert told["facts"][0]["when"] == "since 2018"
        (notice,) = told["warnings"]
        await agent.call("correct", **json.loads(notice["hint"].removeprefix("correct with ")))
        listed = await agent.call("list_memories", about="Maria", kind="fact")
        assert "since 2019" in [one.get("when") for one in listed["memories"]]

    talk(script, "--tools", "memory")


@BYTES
def test_a_server_that_may_erase_leaves_nothing(talk, path):
    async def script(agent):
        told = (await agent.call("remember", facts=MARIA))["facts"]
        await agent.call("forget", id=told[1]["id"], effect="erase")
        refused = await agent.error("explain_memory", id=told[1]["id"])
        assert refused["message"].startswith("no memory has this id: ")

    talk(script, "--allow-erase")
    assert b"Maria likes green tea" not in path.read_bytes()


def test_what_is_known_about_somebody_is_told_in_words(talk):
    async def script(agent):
        await agent.call("remember", facts=MARIA)
        await agent.call(
            "remember",
            text="Maria prefers short answers",
            evidence=[{"kind": "user_statement", "detail": "Keep it short, please."}],
        )
        brief = await agent.call("brief", topic="Maria")
        assert "Maria works at Siemens" in brief["text"]
        (message,) = (await agent.client.get_prompt("bootstrap")).messages
        assert "Maria prefers short answers" in message.content.text

    talk(script)


def test_what_is_proposed_of_a_change_can_be_called_as_it_stands(talk):
    async def script(agent):
        async def follow(hint):
            tool, _, given = hint.partition(" with ")
            return await agent.call(tool, **json.loads(given))

        works = {"subject": "Ida", "predicate": "works_at"}
        await agent.call("remember", facts=[{**works, "object": "Bosch", "valid_at": "2015"}])
        told = await agent.call("remember", facts=[{**works, "object": "Zeis", "valid_at": "2020"}])
        first = told["facts"][0]["id"]
        zeiss = (await agent.call("correct", id=first, object="Zeiss"))["memory"]["id"]
        await agent.call("correct", id=zeiss, object="Zeiss AG")
        refused = await agent.error("correct", id=first, undo=True)
        undone = await follow(refused["hint"])
        assert undone["memory"]["text"] == "Ida works at Zeiss"
        again = await follow(undone["undo"])
        assert again["memory"]["text"] == "Ida works at Zeiss AG"
        (stays,) = (await agent.call("forget", id=again["memory"]["id"]))["warnings"]
        bosch = (await follow(stays["hint"]))["memory"]
        assert (bosch["text"], "invalid_at" in bosch) == ("Ida works at Bosch", False)
        phone = {"subject": "Ida", "predicate": "phone"}
        await agent.call("remember", facts=[{**phone, "object": "555 0100"}])
        told = await agent.call("remember", facts=[{**phone, "object": "555 0199"}])
        await follow(told["also_holds"][0]["hint"])
        left = texts(await agent.call("list_memories", kind="fact"))
        assert left == ["Ida phone 555 0199", "Ida works at Bosch"]

    talk(script, "--tools", "memory")

"""Knowledge through a client of the protocol: add, provide."""

from __future__ import annotations


def test_what_is_added_is_provided_for_its_section(talk):
    async def script(agent):
        added = await agent.call(
            "add_knowledge",
            content="Check the mesh before CHT runs.",
            knowledge_type="instruction",
            info_type="instructions",
            tags=["CHT"],
            entity_id="user:alice",
        )
        assert added["piece_id"]
        found = await agent.call("provide_knowledge", query="a CHT run", entity_id="user:alice")
        assert found["sections"] == {
            "instructions": "[instruction] Check the mesh before CHT runs."
        }
        assert (await agent.call("provide_knowledge", query="a CHT run"))["sections"] == {}

    talk(script)


def test_a_secret_is_not_kept(talk):
    async def script(agent):
        error = await agent.error("add_knowledge", content="password: hunter2")
        assert error["code"] == "INVALID_ARGUMENT"
        assert "hunter2" not in str(error)

    talk(script)


def test_a_piece_is_recalled_as_one_and_its_links_are_not(talk):
    async def script(agent):
        await agent.call("add_knowledge", content="Check the mesh.", entity_id="user:alice")
        for kinds in ({}, {"kinds": ["piece"]}):
            (found,) = (await agent.call("recall", question="the mesh", **kinds))["memories"]
            assert (found["kind"], found["text"]) == ("piece", "Check the mesh.")
            assert found["attributes"]["entity_id"] == "user:alice"
        assert (await agent.call("recall", question="belongs to"))["memories"] == []

    talk(script)


def test_a_type_is_read_in_any_case_and_an_unknown_one_is_refused(talk):
    async def script(agent):
        for name in ("Note", "EPISODIC", "fact"):
            added = await agent.call("add_knowledge", content=f"{name} of it", knowledge_type=name)
            assert added["piece_id"]
        error = await agent.error("add_knowledge", content="x", knowledge_type="rumour")
        assert error["code"] == "INVALID_ARGUMENT"
        listed = (await agent.call("recall", question="it"))["memories"]
        assert {one["attributes"]["knowledge_type"] for one in listed} == {
            *("note", "episodic", "fact")
        }

    talk(script)


def test_the_tools_are_offered_unless_others_are_chosen(talk):
    async def script(agent):
        offered = {one.name for one in (await agent.client.list_tools()).tools}
        assert {"provide_knowledge", "add_knowledge", "recall"} <= offered

    async def without(agent):
        offered = {one.name for one in (await agent.client.list_tools()).tools}
        assert not {"provide_knowledge", "add_knowledge"} & offered
        assert "recall" in offered

    async def alone(agent):
        offered = {one.name for one in (await agent.client.list_tools()).tools}
        assert offered == {"provide_knowledge", "add_knowledge"}

    talk(script)
    talk(without, "--tools", "memory")
    talk(alone, "--tools", "knowledge")


def test_a_piece_is_corrected_and_forgotten_by_the_verbs_of_memory(talk):
    async def script(agent):
        await agent.call("add_knowledge", content="Check the mesh.", info_type="instructions")
        (found,) = (await agent.call("recall", question="the mesh"))["memories"]
        await agent.call("correct", id=found["id"], text="Check the mesh twice.")
        (found,) = (await agent.call("recall", question="the mesh"))["memories"]
        assert found["text"] == "Check the mesh twice."
        await agent.call("forget", id=found["id"])
        assert (await agent.call("recall", question="the mesh"))["memories"] == []
        assert (await agent.call("provide_knowledge", query="the mesh"))["sections"] == {}

    talk(script)

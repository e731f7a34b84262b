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

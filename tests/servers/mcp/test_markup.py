"""Knowing Markup through a client of the protocol: read, change, read again."""

from __future__ import annotations

LION = "- ID: new-1 [created]\n  Label: Lion\n"


def test_a_memory_is_read_and_changed_as_a_tree(talk):
    async def script(agent):
        done = await agent.call("apply_markup", text=LION)
        assert done["ids"] == {"new-1": "1"}
        assert done["changes"] == ['created main "Main"', 'created 1 "Lion" in main']
        shown = await agent.call("read_markup", root="main")
        assert "- ID: 1\n    Label: Lion" in shown["text"]
        stale = shown["transaction"]
        await agent.call("apply_markup", text="- ID: 1 [updated]\n  Label: Tiger\n", base=stale)
        error = await agent.error(
            "apply_markup", text="- ID: 1 [updated]\n  Label: Cat\n", base=stale
        )
        assert error["code"] == "KM_3005"
        (page,) = (await agent.client.read_resource("recollect://markup/1")).contents
        assert page.text == "---\n- BRANCH ID: 1\n  Label: Tiger\n"
        (card,) = (await agent.client.read_resource("recollect://markup-syntax")).contents
        assert card.text.startswith("# Knowing Markup")

    talk(script)


def test_what_a_model_writes_is_repaired_with_a_notice_and_a_dry_run_keeps_nothing(talk):
    async def script(agent):
        done = await agent.call("apply_markup", text=f"Sure!\n```\n{LION}```", dry_run=True)
        assert done["is_dry_run"]
        assert "repaired" in {one["code"] for one in done["notices"]}
        assert (await agent.call("read_markup"))["text"] == ""

    talk(script)


def test_a_fault_is_told_with_its_place(talk):
    async def script(agent):
        error = await agent.error("apply_markup", text="- ID: 99 [updated]\n  Label: x\n")
        assert (error["code"], error["line"]) == ("KM_3001", 1)
        error = await agent.error("read_markup", root="nope")
        assert (error["code"], error["hint"]) == ("KM_3001", "call read_markup")

    talk(script)


def test_the_sets_of_tools_are_chosen_at_the_start(talk):
    async def script(agent):
        names = {one.name for one in (await agent.client.list_tools()).tools}
        assert names == {"read_markup", "apply_markup"}
        assert (await agent.error("recall", question="x"))["code"] == "INVALID_ARGUMENT"

    talk(script, "--tools", "markup")

"""Workflows: steps in order, durably; faults, calls, and two who answer at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recollect import RecollectError
from recollect.faces.markup import Functions, Markup, parse_request, parse_response
from recollect.faces.markup.exchanges import Turn
from recollect.faces.markup.functions import Caller

FLOW = """
- WORKFLOW ID: w
  Label: My Workflow
  - NOTE ID: n
    Label: not a step
  - ID: s1
    Label: Step 1
    Use function: callMe
    Content: Write a poem and mail it.
  - ID: s2
    Label: Step 2
"""


def done(step: int | str, data: str = "") -> str:
    return f"Context: workflow\nWorkflow step: {step}\nResponse: data\nData:\n{data}"


POEM = done(1, "- ID: s1\n  - ID: new-1 [created]\n    Label: Poem\n")
CALL = 'Context: workflow\nWorkflow step: 1\nResponse: action\nAction: callMe {"To": "a@b.c"}\n'
END = 'Context: workflow\nWorkflow step: 2\nResponse: Finished workflow\nMessage: "Over."\n'


def refused(call) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        call()
    return caught.value


@pytest.fixture
def sent() -> list[object]:
    return []


@pytest.fixture
def flow(zoo: Markup, sent) -> Markup:
    functions = Functions()
    functions.register(
        "callMe", lambda _, call: sent.append(call.key) or "sent", arguments={"To": "email"}
    )
    markup = Markup(zoo.nexus, functions=functions)
    markup.publish("callMe")
    markup.load(FLOW)
    return markup


def test_a_run_starts_at_its_first_step_with_its_instructions_and_functions(flow):
    run = flow.runner.start("w")
    assert (run.state, run.step, run.steps, run.attempt) == ("waiting", 1, ("s1", "s2"), 1)
    request = parse_request(run.request)
    assert request.messages == ("Starting step 1 of the workflow.",)
    assert request.instructions == "Step 1\nWrite a poem and mail it."
    assert [one.id.text for one in request.data.walk()] == ["s1", "callMe", "callMe-argument-1"]


def test_a_run_goes_step_by_step_to_its_end(flow):
    run = flow.runner.start("w")
    run = flow.runner.reply(run.id, POEM)
    assert (run.state, run.step) == ("waiting", 2)
    run = flow.runner.reply(run.id, END)
    assert (run.state, run.request) == ("finished", None)
    assert [(one.step, one.message) for one in run.results] == [("s1", None), ("s2", "Over.")]
    assert "Poem" in flow.render("w").text
    assert flow.runner.get(run.id) == run
    assert flow.runner.list() == (run,)


def test_the_step_may_be_named_by_its_id_or_left_out(flow):
    run = flow.runner.start("w")
    run = flow.runner.reply(run.id, POEM.replace("step: 1", "step: s1"))
    run = flow.runner.reply(run.id, "Context: workflow\nResponse: data\n")
    assert run.state == "finished"


def test_a_call_is_made_and_told_and_the_run_waits_at_the_same_step(flow, sent):
    run = flow.runner.start("w")
    run = flow.runner.reply(run.id, CALL)
    assert (run.state, run.step) == ("waiting", 1)
    assert parse_request(run.request).messages[-1] == 'callMe returned: "sent"'
    run = flow.runner.reply(run.id, POEM)
    assert run.step == 2
    assert len(sent) == 1


FAULTY = [
    ("KM_2006", done(2)),
    ("KM_2006", "Context: workflow\nWorkflow step: 1\nResponse: Finished workflow\n"),
    ("KM_2009", "Context: command\nResponse: data\nData:\n"),
    ("KM_3007", done(1, "- ID: 4 [updated]\n  Label: x\n")),
    ("KM_3009", CALL.replace("callMe", "other")),
]


@pytest.mark.parametrize(("code", "text"), FAULTY)
def test_a_fault_of_a_step_has_its_place_and_a_hint(flow, code, text):
    run = flow.runner.start("w")
    error = refused(lambda: flow.runner.reply(run.id, text))
    assert (error.code.code, error.span is not None, error.hint != "") == (code, True, True)
    if text == done(2):
        assert error.fix.apply(text) == done(1)


def test_a_step_is_mended_where_it_is_said_and_not_in_a_text(flow):
    run = flow.runner.start("w")
    said = "Context: workflow\r\nError: `\r\nWorkflow step: 9\r\n`\r\nResponse: error\r\n"
    fault = refused(lambda: flow.runner.reply(run.id, f"{said}Workflow step: 2\r\n"))
    assert fault.fix.apply(f"{said}Workflow step: 2\r\n") == f"{said}Workflow step: 1\r\n"
    assert refused(lambda: flow.runner.reply(run.id, f"{said}Workflow step: `\n2\n`")).fix is None


@pytest.mark.parametrize(("code", "text"), FAULTY)
def test_an_answer_that_is_not_valid_is_asked_for_again(flow, code, text):
    run = flow.runner.start("w")
    before = flow.render().text
    assert refused(lambda: flow.runner.reply(run.id, text)).code.code == code
    again = flow.runner.get(run.id)
    assert (again.state, again.step, again.attempt) == ("waiting", 1, 2)
    assert code in parse_request(again.request).messages[-1]
    assert flow.render().text == before


def test_the_third_invalid_answer_pauses_a_run_which_may_be_resumed_or_skipped(flow):
    run = flow.runner.start("w")
    for _ in range(3):
        refused(lambda: flow.runner.reply(run.id, "no"))
    paused = flow.runner.get(run.id)
    assert (paused.state, paused.request) == ("paused", None)
    assert "KM_2001" in paused.reason
    assert refused(lambda: flow.runner.reply(run.id, POEM)).code.code == "KM_2006"
    resumed = flow.runner.resume(run.id)
    assert (resumed.state, resumed.step, resumed.attempt) == ("waiting", 1, 1)
    assert flow.runner.skip(run.id).step == 2
    assert flow.runner.skip(run.id).state == "finished"


def test_an_error_pauses_a_run_with_its_text(flow):
    run = flow.runner.start("w")
    text = 'Context: workflow\nWorkflow step: 1\nResponse: error\nError: "no paper"\n'
    paused = flow.runner.reply(run.id, text)
    assert (paused.state, paused.reason) == ("paused", "no paper")


def test_a_cancelled_run_takes_no_answer(flow):
    run = flow.runner.start("w")
    assert flow.runner.cancel(run.id).state == "cancelled"
    for call in (flow.runner.resume, flow.runner.skip, flow.runner.cancel):
        assert refused(lambda call=call: call(run.id)).code.code == "KM_2006"


def test_a_model_drives_a_run_to_its_end(flow, sent):
    run = flow.runner.start("w")
    answers = ["nonsense", CALL, POEM, END]
    asked: list[str] = []

    def model(request: str) -> str:
        asked.append(request)
        return answers.pop(0)

    assert flow.runner.drive(run.id, model).state == "finished"
    assert len(asked) == 4
    assert len(sent) == 1


def test_a_model_that_never_answers_right_leaves_a_paused_run(flow):
    run = flow.runner.start("w")
    assert flow.runner.drive(run.id, lambda _: "no").state == "paused"


def test_steps_are_those_of_the_start(flow):
    run = flow.runner.start("w")
    flow.apply(
        "- ID: s2 [updated]\n  Label: Renamed\n- ID: w\n  - ID: new-1 [created]\n", target="w"
    )
    run = flow.runner.reply(run.id, POEM)
    assert parse_request(run.request).instructions == "Step 2"
    assert run.steps == ("s1", "s2")


def test_of_two_who_answer_one_wins(flow):
    run = flow.runner.start("w")
    other = Markup(flow.nexus, functions=flow.functions)
    stale = other.runner._kept(run.id)
    flow.runner.reply(run.id, POEM)
    error = refused(lambda: other.runner._move(stale, 2))
    assert error.code.code in ("KM_3005", "KM_2006")
    assert refused(lambda: other.runner.reply(run.id, POEM)).code.code in ("KM_3005", "KM_2006")


def test_what_is_no_workflow_does_not_start(flow):
    for id in ("nothing", "2"):
        assert refused(lambda id=id: flow.runner.start(id)).code.code == "KM_3001"
    flow.load("- WORKFLOW ID: empty\n")
    assert refused(lambda: flow.runner.start("empty")).code.code == "KM_2006"
    assert refused(lambda: flow.runner.get("nothing")).code.code == "KM_3001"


@pytest.mark.parametrize("idempotent", [True, False])
def test_a_call_whose_outcome_is_unknown_is_made_again_only_if_it_is_idempotent(zoo, idempotent):
    made: list[str] = []

    functions = Functions()
    functions.register(
        "callMe",
        lambda _, call: made.append(call.key),
        arguments={"To": "email"},
        idempotent=idempotent,
    )
    markup = Markup(zoo.nexus, functions=functions)
    markup.publish("callMe")
    markup.load(FLOW)
    run = markup.runner.start("w")
    kept = markup.runner._kept(run.id)
    prepared = markup.runner._prepared(parse_response(CALL), kept.functions, Turn())
    calls, changes = Caller(zoo.nexus, None, None).intended(prepared, run.id)
    calling = replace(kept, run=replace(kept.run, state="calling"), number=1)
    markup.runner._write(calling, changes)  # and here the process ends
    again = Markup(zoo.nexus, functions=functions).runner.resume(run.id)
    if idempotent:
        assert made == [calls[0].key]
        assert again.state == "waiting"
        assert "callMe returned" in again.request
    else:
        assert made == []
        assert again.state == "paused"
        assert calls[0].id in again.reason


def test_the_faults_of_an_answer_stand_in_one_request_only(flow):
    run = flow.runner.start("w")
    refused(lambda: flow.runner.reply(run.id, done(1, "- ID: 77 [updated]\n  Label: x\n")))
    assert "KM_3001" in (flow.runner.get(run.id).request or "")
    refused(lambda: flow.runner.reply(run.id, done(1, "- ID: 1 [new]\n")))
    second = flow.runner.get(run.id).request or ""
    assert ("KM_1006" in second, "KM_3001" in second) == (True, False)
    called = flow.runner.reply(run.id, CALL).request or ""
    assert ("callMe returned" in called, "KM_" in called) == (True, False)

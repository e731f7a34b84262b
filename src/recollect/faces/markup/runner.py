"""Workflows: their steps asked one after the other, durably.

How it works. A run is kept with the steps of its WORKFLOW as they stood when it started, and the
request of the step it waits at. A valid answer of data is applied, and the run moves to the next
step, in one transaction. An answer that calls functions first makes the run `calling`, with the
calls it intends; each is committed before it is made and after; then the run waits at the same
step, told what came of them. So a process may die between any two transactions: what is `calling`
then is taken up by `resume` or the next answer, and a call whose outcome is unknown is made again
under its key only if its function is idempotent. Faults pause a run at the third answer.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Final, Literal, get_args

from recollect.errors import CHANGED_SINCE, UNKNOWN_ID, WRONG_STEP, Fix, RecollectError
from recollect.faces.markup.decision import AnswerScope, Asked
from recollect.faces.markup.documents import Documents
from recollect.faces.markup.exchange import calls_of
from recollect.faces.markup.exchanges import (
    LAST_ANSWER,
    MOST_NESTED,
    Exchanges,
    Model,
    Turn,
    completion_of,
    fault_lines,
    make_all,
    read_answer,
    request_text,
    waits_out,
)
from recollect.faces.markup.faults import SEE_NODES, SEE_RUNS
from recollect.faces.markup.functions import (
    Call,
    Caller,
    Functions,
    Prepared,
    prepare,
    run,
    shown_functions,
)
from recollect.faces.markup.graph import (
    CONTENT,
    NOTE,
    RUN,
    SHOWED,
    UNSEARCHED,
    USES_FUNCTION,
    WORKFLOW,
    Graph,
    label_of,
    text_of,
    text_or_none,
    texts_of,
)
from recollect.faces.markup.messages import Request, Response, entry_place, print_text
from recollect.faces.markup.model import Document
from recollect.llm import Completion
from recollect.model import AsOf, Change, Concept, PutConcept, PutLink, Value
from recollect.node import dataclass, replace

RunState = Literal["waiting", "calling", "paused", "finished", "cancelled"]
MOST_ATTEMPTS: Final = 3
_STATES: Final[dict[str, RunState]] = {one: one for one in get_args(RunState)}
_SHOWN: Final = ("workflow", "state", "step", "attempt", "request", "reason")
_RUNS: Final = 'FIND(?one) WHERE { ?one {type: "WorkflowRun"} }'


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step came to."""

    step: str  # its id
    response: str  # the text of the answer
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a workflow; `step` is the number of the current one, from 1."""

    id: str
    workflow: str
    state: RunState
    step: int
    steps: tuple[str, ...]  # ids, in order
    attempt: int
    request: str | None = None  # what the step asks; None where it asks nothing
    reason: str | None = None  # why it is paused
    results: tuple[StepResult, ...] = ()


@dataclass(frozen=True, slots=True)
class _Kept:
    """A run as it is kept."""

    run: Run
    start: int  # the transaction as of which its steps are read
    base: int  # the transaction of the current request
    shown: frozenset[str]
    told: tuple[str, ...]  # Messages of the current step
    functions: tuple[str, ...]
    number: int  # calls made so far
    version: int


class Runner:
    """The workflow runs of a group."""

    def __init__(self, documents: Documents, functions: Functions, exchanges: Exchanges) -> None:
        self._documents = documents
        self._nexus = documents.nexus
        self._functions = functions
        self._exchanges = exchanges

    def start(self, workflow: str) -> Run:
        """Start a workflow, and return its run, waiting at the first step.

        Its steps are its living direct children without notes, as they stand now. KM_3001 for an
        id that is no WORKFLOW, KM_2006 for one without steps.
        """
        with self._nexus.transaction():
            graph = Graph(self._nexus)
            graph.fetch([workflow])
            held = graph.elements.get(workflow)
            if held is None or held.type != WORKFLOW:
                told = f'no WORKFLOW has the id "{workflow:.60}"'
                raise UNKNOWN_ID.error(told, SEE_NODES)
            steps = _steps(graph, workflow)
            if not steps:
                raise WRONG_STEP.error(f'the workflow "{workflow:.60}" has no steps', "add a step")
            now = self._nexus.stats().transactions
            run_ = Run(str(uuid.uuid4()), workflow, "waiting", 1, steps, 1)
            kept = _Kept(run_, now, now, frozenset(), (), (), 0, 0)
            kept = self._at_step(kept, 1)
            links = [PutLink(run_.id, SHOWED, one) for one in (workflow, *steps)]
            self._write(kept, [], links)
        return kept.run

    def reply(self, run: str, text: str, *, complete: bool = True) -> Run:
        """Take a text as the answer of the step a run waits at, and do what it says.

        Data is applied and ends the step; calls are made, and the run waits at the same step, told
        of them. An answer that is not valid raises and is asked for again; the third pauses the
        run. KM_2006 where the run waits for no answer, or for another step's.
        """
        return self._reply(run, Completion(text, complete), Turn())

    def drive(self, run: str, model: Model) -> Run:
        """Ask a model step by step, until the run waits for nobody."""
        turn = Turn(model)
        kept = self._kept(run)
        if kept.run.state == "calling":
            kept = self._taken_up(kept, turn)
        while kept.run.state == "waiting":
            request = kept.run.request
            assert request is not None
            try:
                self._reply(run, completion_of(model(request)), turn)
            except RecollectError as error:
                if not error.code.code.startswith("KM_") and not waits_out(error):
                    raise
                if not error.code.code.startswith("KM_"):
                    self._note_fault(self._kept(run), error.message)
            kept = self._kept(run)
        return kept.run

    def resume(self, run: str) -> Run:
        """Let a paused run wait at its step again, and take up one that died while calling."""
        kept = self._kept(run)
        if kept.run.state == "calling":
            return self._taken_up(kept, Turn()).run
        self._expect(kept, ("paused",), "resumed")
        return self._move(replace(kept, told=()), kept.run.step)

    def skip(self, run: str) -> Run:
        """Leave the step of a run out, and go on to the next one, or finish."""
        kept = self._kept(run)
        self._expect(kept, ("paused", "waiting"), "skipped")
        return self._move(replace(kept, told=()), kept.run.step + 1)

    def cancel(self, run: str) -> Run:
        """End a run."""
        kept = self._kept(run)
        self._expect(kept, ("paused", "waiting", "calling"), "cancelled")
        done = replace(kept, run=replace(kept.run, state="cancelled", request=None))
        with self._nexus.transaction():
            self._write(done)
        return done.run

    def get(self, run: str) -> Run:
        """Return a run; KM_3001 for an unknown id."""
        return self._kept(run).run

    def list(self) -> tuple[Run, ...]:
        """Return the runs, the oldest first."""
        rows = self._nexus.read(_RUNS).rows
        found = (self._read(one) for (one,) in rows if isinstance(one, Concept))
        return tuple(one.run for one in found if one is not None)

    # One answer

    def _reply(self, id: str, answer: Completion, turn: Turn) -> Run:
        kept = self._kept(id)
        if kept.run.state == "calling":
            kept = self._taken_up(kept, turn)
        self._expect(kept, ("waiting",), "answered")
        try:
            response, source, notices = read_answer(answer, "workflow", str(kept.run.step))
            self._check_step(kept, response, source)
            turn = replace(turn, source=source, notices=notices)
            return self._take(kept, answer.text, response, turn)
        except RecollectError as error:
            if error.code is CHANGED_SINCE or error.code is WRONG_STEP:
                current = self._kept(id)
                if current.version != kept.version:
                    raise  # another answer was first: this one says nothing of the run
            if error.code.code.startswith("KM_"):
                lines = fault_lines(error)
                self._note_fault(kept, lines[0], lines)
            raise

    def _check_step(self, kept: _Kept, response: Response, text: str) -> None:
        step, current = response.workflow_step, kept.run.steps[kept.run.step - 1]
        is_early = response.is_finished and kept.run.step < len(kept.run.steps)
        is_current = step in (str(kept.run.step), current)
        if is_current and not is_early:
            return
        span = entry_place(text, "Workflow step")
        if not is_current:
            is_plain = step and span and text[span.start : span.end].rstrip(" \t") == step
            raise WRONG_STEP.error(
                f'the answer is of step "{step or "":.40}", the run at {kept.run.step}',
                f"use Workflow step: {kept.run.step}",
                source=text,
                span=span,
                fix=Fix(span, str(kept.run.step)) if span and is_plain else None,
            )
        raise WRONG_STEP.error(
            f"the workflow is finished at step {len(kept.run.steps)}, not {kept.run.step}",
            "answer with Response: data",
            source=text,
            span=span,
        )

    def _take(self, kept: _Kept, text: str, response: Response, turn: Turn) -> Run:
        match response.response:
            case "action":
                return self._act(kept, response, turn)
            case "error" | "no-data-available":
                reason = response.error or "the model has no data for this step"
                return self._pause(kept, reason)
            case _:
                return self._apply(kept, text, response, turn)

    def _apply(self, kept: _Kept, text: str, response: Response, turn: Turn) -> Run:
        """Apply data, keep the result, and go on, in one transaction."""
        run_ = kept.run
        result = StepResult(run_.steps[run_.step - 1], text, response.message)
        going = replace(kept, run=replace(run_, results=(*run_.results, result)), told=())
        asked = Asked(
            is_snapshot=False,
            target=run_.steps[run_.step - 1],
            base=kept.base,
            scope=AnswerScope(kept.shown),
            request_id=run_.id,
        )
        with self._nexus.transaction():
            self._refuse_second(kept)
            self._documents.write(
                response.data or Document(), asked, source=turn.source, notices=turn.notices
            )
            return self._write(self._at_step(going, run_.step + 1)).run

    def _act(self, kept: _Kept, response: Response, turn: Turn) -> Run:
        with self._nexus.snapshot():
            prepared = self._prepared(response, kept.functions, turn)
        caller = Caller(self._nexus, self._documents.actor, self._exchanges.nested(turn))
        calls, changes = caller.intended(prepared, kept.run.id, kept.number)
        calling = replace(
            kept, run=replace(kept.run, state="calling"), number=kept.number + len(calls)
        )
        with self._nexus.transaction():
            self._refuse_second(kept)
            calling = self._write(calling, changes)
        made = make_all(caller, calls, prepared)
        return self._wait_again(calling, made).run

    def _prepared(
        self, response: Response, allowed: Sequence[str], turn: Turn
    ) -> tuple[Prepared, ...]:
        return prepare(
            Graph(self._nexus),
            self._functions,
            response.actions,
            allowed,
            has_model=turn.model is not None and turn.depth < MOST_NESTED,
            source=turn.source,
        )

    def _taken_up(self, kept: _Kept, turn: Turn) -> _Kept:
        """Take up a run whose process died while it was calling."""
        caller = Caller(self._nexus, self._documents.actor, self._exchanges.nested(turn))
        calls = calls_of(self._nexus, kept.run.id)
        made: list[Call] = []
        for call in calls:
            registered = self._functions.find(call.function)
            if call.state != "intended":
                made.append(call)
                continue
            if any(one.state == "failed" for one in made[-1:]):
                break
            if registered is None or not registered.idempotent:
                caller.keep(replace(call, state="unknown"))
                reason = f"nobody knows whether {call.function} was called: {call.id}"
                self._pause(kept, reason)
                return self._kept(kept.run.id)
            done = run(registered, call)
            caller.keep(done)
            made.append(done)
        return self._wait_again(kept, made[-MOST_ATTEMPTS:])

    def _wait_again(self, kept: _Kept, calls: Sequence[Call]) -> _Kept:
        """Let a run wait at the same step, told what came of its calls."""
        lines = tuple(one.told for one in calls if one.state in ("done", "failed"))
        with self._nexus.transaction():
            self._refuse_second(kept)
            told = (*_without_faults(kept.told), *lines)
            waiting = self._at_step(replace(kept, told=told), kept.run.step)
            return self._write(waiting)

    def _note_fault(self, kept: _Kept, reason: str, lines: Sequence[str] = ()) -> None:
        """Ask again, told what was wrong; the third time the run is paused."""
        if kept.run.attempt >= MOST_ATTEMPTS:
            self._pause(kept, reason)
            return
        with self._nexus.transaction():
            self._refuse_second(kept)
            told = (*_without_faults(kept.told), *lines)
            again = self._at_step(replace(kept, told=told), kept.run.step)
            attempt = replace(again.run, attempt=kept.run.attempt + 1)
            self._write(replace(again, run=attempt))

    def _pause(self, kept: _Kept, reason: str) -> Run:
        paused = replace(kept, run=replace(kept.run, state="paused", reason=reason, request=None))
        with self._nexus.transaction():
            self._refuse_second(kept)
            self._write(paused)
        return paused.run

    def _move(self, kept: _Kept, step: int) -> Run:
        with self._nexus.transaction():
            self._refuse_second(kept)
            return self._write(self._at_step(kept, step)).run

    def _expect(self, kept: _Kept, states: tuple[RunState, ...], done: str) -> None:
        if kept.run.state not in states:
            raise WRONG_STEP.error(
                f"a run that is {kept.run.state} is not {done}",
                "resume, skip or cancel it" if kept.run.state == "paused" else SEE_RUNS,
            )

    def _refuse_second(self, kept: _Kept) -> None:
        """Refuse to go on from a state that another has left."""
        if self._kept(kept.run.id).version != kept.version:
            raise CHANGED_SINCE.error(f'the run "{kept.run.id}" has moved on meanwhile', SEE_RUNS)

    # Steps

    def _at_step(self, kept: _Kept, step: int) -> _Kept:
        """Return a run waiting at a step, with its request; finished behind the last."""
        if step > len(kept.run.steps):
            done = replace(kept.run, state="finished", request=None, reason=None)
            return replace(kept, run=done, shown=frozenset(), told=())
        is_same = step == kept.run.step
        id = kept.run.steps[step - 1]
        then = Graph(self._nexus, AsOf(transaction=kept.start))
        then.fetch([id])
        held = then.elements.get(id)
        label = None if held is None else label_of(held)
        content = None if held is None else held.attributes.get(CONTENT)
        functions = _functions(then, id)
        instructions = "\n".join(text_of(one) for one in (label, content) if one)
        view = self._documents.render(id) if id in self._nexus.elements.look_up([id]) else None
        data = None if view is None else view.text
        if functions:
            from_graph = shown_functions(Graph(self._nexus), functions)
            data = (data or "") + print_text(from_graph)
        told = (f"Starting step {step} of the workflow.", *kept.told)
        request = Request("workflow", None, told, instructions or "Do this step.")
        run_ = replace(
            kept.run,
            state="waiting",
            step=step,
            attempt=kept.run.attempt if is_same and kept.run.state != "paused" else 1,
            request=request_text(request, data, None, None),
            reason=None,
        )
        shown = frozenset[str]() if view is None else view.shown
        now = self._nexus.stats().transactions
        return replace(kept, run=run_, base=now + 1, shown=shown | {id}, functions=tuple(functions))

    # Keeping

    def _kept(self, id: str) -> _Kept:
        dated = self._nexus.elements.look_up([id]).get(id)
        element = None if dated is None else dated.element
        kept = self._read(element) if isinstance(element, Concept) else None
        if kept is None:
            raise UNKNOWN_ID.error(f'no run has the id "{id:.60}"', SEE_RUNS)
        return kept

    def _read(self, held: Concept) -> _Kept | None:
        if held.type != RUN:
            return None
        said = held.attributes
        run_ = Run(
            held.id,
            text_of(said.get("workflow") or ""),
            _STATES.get(text_of(said.get("state") or ""), "paused"),
            _whole(said.get("step")),
            texts_of(said.get("steps")),
            _whole(said.get("attempt")),
            text_or_none(said.get("request")),
            text_or_none(said.get("reason")),
            _results(said.get("results")),
        )
        return _Kept(
            run_,
            _whole(said.get("start")),
            _whole(said.get("base")),
            frozenset(texts_of(said.get("shown"))),
            texts_of(said.get("told")),
            texts_of(said.get("functions")),
            _whole(said.get("number")),
            _whole(said.get("version")),
        )

    def _write(
        self, kept: _Kept, changes: Sequence[Change] = (), links: Sequence[Change] = ()
    ) -> _Kept:
        written = [*changes, *self._changes(kept), *links]
        self._nexus.write(written, actor=self._documents.actor, request_id=kept.run.id)
        return replace(kept, version=kept.version + 1)

    def _changes(self, kept: _Kept) -> Sequence[Change]:
        run_ = kept.run
        results: list[Value] = [[one.step, one.response, one.message] for one in run_.results]
        attributes: dict[str, Value] = {
            **{one: getattr(run_, one) for one in _SHOWN},
            **{one: getattr(kept, one) for one in ("start", "base", "number")},
            "steps": list[Value](run_.steps),
            "results": results,
            "shown": [*sorted(kept.shown)],
            "told": list[Value](kept.told),
            "functions": list[Value](kept.functions),
            "version": kept.version + 1,
        }
        return [PutConcept(RUN, run_.id, attributes, UNSEARCHED, id=run_.id)]


def _without_faults(told: Sequence[str]) -> list[str]:
    """Return what a run is told but the faults of an answer, which stand in one request."""
    return [one for one in told if not one.startswith(LAST_ANSWER)]


def _steps(graph: Graph, workflow: str) -> tuple[str, ...]:
    """Return the ids of the steps of a workflow, in order."""
    for space in dict.fromkeys(one.space for one in graph.places(workflow)):
        below = graph.children([workflow], space).get(workflow, [])
        return tuple(child.id for _, child in below if child.type != NOTE)
    return ()


def _functions(graph: Graph, step: str) -> list[str]:
    """Return the FUNCTIONs that a step uses."""
    joints = graph.nexus.joints.at([step], "subject", (USES_FUNCTION,), as_of=graph.as_of)
    return [one.link.object for one in joints]


def _results(kept: Value) -> tuple[StepResult, ...]:
    rows = kept if isinstance(kept, list) else []
    return tuple(
        StepResult(str(one[0]), str(one[1]), text_or_none(one[2]))
        for one in rows
        if isinstance(one, list) and len(one) == 3
    )


def _whole(value: Value) -> int:
    return value if isinstance(value, int) else 0

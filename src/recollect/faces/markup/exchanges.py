"""Exchanges: a request, its answer, and what came of it, against the graph.

How it works. `begin` renders what is asked about, writes the request and keeps it with the ids it
showed. `answer` reads a text as the response, by repair if need be, and does what it says: data is
applied, within what was shown and on what stood then; calls are checked, kept and made. The
outcome is committed with the change itself. An answer that is not valid changes nothing but the
count of attempts, and may be replaced; a valid one stands. `ask` puts the two around a model, and
tells it its faults in the Messages of the same request.
"""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Literal, TypedDict, Unpack, assert_never

from recollect.errors import (
    CONFLICT,
    INCOMPLETE,
    MARKUP_LIMIT,
    MISSING_ENTRY,
    UNAVAILABLE,
    UNKNOWN_ID,
    Notice,
    RecollectError,
    refused,
)
from recollect.faces.markup.answers import Applied
from recollect.faces.markup.decision import AnswerScope, Asked
from recollect.faces.markup.documents import Documents
from recollect.faces.markup.exchange import (
    EXCHANGES,
    Exchange,
    Record,
    Showing,
    calls_of,
    record_of,
)
from recollect.faces.markup.faults import SEE_EXCHANGES
from recollect.faces.markup.functions import (
    Call,
    Caller,
    Functions,
    Prepared,
    prepare,
    shown_functions,
)
from recollect.faces.markup.graph import EXCHANGE, SHOWED, UNSEARCHED, Graph
from recollect.faces.markup.messages import (
    Request,
    Response,
    parse_request,
    parse_response,
    print_text,
)
from recollect.faces.markup.model import Document
from recollect.faces.markup.parser import parse
from recollect.faces.markup.repairing import repair_response
from recollect.faces.markup.text import quoted_text, value_text
from recollect.llm import Completion
from recollect.model import Change, Concept, PutConcept, PutLink, Value
from recollect.node import dataclass, replace

MOST_ANSWER: Final = 2**20
"""Bytes of the text of a model."""

MOST_ROUNDS: Final = 20
"""Answers of one `ask` that follows up, and turns that are carried on."""

LAST_ANSWER: Final = "Your last answer: "
"""How the items of Messages begin that tell a model its faults."""

MOST_NESTED: Final = 3
MOST_WAIT: Final = 60.0  # seconds that a Retry-After is honoured
ExchangeContext = Literal["command", "conversation"]
Model = Callable[[str], "str | Completion"]
"""Takes the text of a request; returns the text of a response."""


class Beginning(TypedDict, total=False):
    """What `begin` takes besides the prompt."""

    context: ExchangeContext
    root: str | None
    data: str | Document | None
    attention_branch: str | None
    attention_node: str | None
    messages: Sequence[str]
    budget: int | None
    target: str | None
    functions: Sequence[str]
    scope: Literal["shown", "group"]
    previous: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """What runs one answer: the model of `ask`, if there is one, and how deep it is nested."""

    model: Model | None = None
    depth: int = 0
    dry_run: bool = False
    source: str = ""  # what faults of the answer quote: it, or what its repairs made of it
    notices: tuple[Notice, ...] = ()


class Exchanges:
    """The exchanges of a group."""

    def __init__(self, documents: Documents, functions: Functions) -> None:
        self._documents = documents
        self._nexus = documents.nexus
        self._functions = functions

    def begin(self, prompt: str, **given: Unpack[Beginning]) -> Exchange:
        """Keep a request and return it, to be answered.

        It shows `data`, or what is rendered of `root` or around the attention, within `budget`;
        without any of them no document. `functions` may be called, and stand in Data. An answer
        may change what the request showed and create below it; `scope="group"` lifts that.
        `previous` is an earlier exchange, whose turns and results stand in Messages. New nodes
        without another place go to `target`. Raises INVALID_ARGUMENT for a blank prompt or another
        context, KM_3001 for an unknown id, KM_2007 for an attention that is not shown.
        """
        context = given.get("context", "command")
        if not prompt.strip():
            raise refused("the prompt is blank", "ask something")
        if context not in ("command", "conversation"):
            raise refused(
                f"an exchange has no context {context!r:.40}",
                "use command or conversation; a workflow is run by itself",
                known=("command", "conversation"),
            )
        functions = _functions_of(given)
        earlier = self._earlier(given.get("previous"))
        branch, node = given.get("attention_branch"), given.get("attention_node")
        with self._nexus.snapshot():
            showing = self._showing(given)
            if (target := given.get("target")) is not None:
                Graph(self._nexus).held(target)
            if functions:
                showing = showing.plus(shown_functions(Graph(self._nexus), functions))
        told = (*_turns(earlier), *given.get("messages", ()))
        request = Request(context, prompt, tuple(told))
        text = request_text(request, showing.text, branch, node)
        parse_request(text)
        record = Record(
            id=str(uuid.uuid4()),
            context=context,
            request=text,
            prompt=prompt,
            base=showing.transaction,
            scope=given.get("scope", "shown"),
            shown=showing.shown,
            shortened=showing.shortened,
            target=given.get("target") or node or branch or given.get("root"),
            functions=functions,
            previous=given.get("previous"),
            ids={key: id for one, _ in earlier for key, id in one.ids.items()},
        )
        self._nexus.write(_kept(record), actor=self._documents.actor)
        return record.exchange()

    def answer(
        self, id: str, text: str, *, complete: bool = True, dry_run: bool = False
    ) -> Exchange:
        """Take a text as the answer of an exchange, and do what it says.

        An answer that is not valid raises, changes nothing, and may be replaced. The same answer
        twice is one; another after a valid one is CONFLICT. KM_3001 for an unknown id, KM_2008
        where the text is not `complete`. With `dry_run` nothing is kept, and nothing is called.
        """
        return self._answer(id, Completion(text, complete), Turn(dry_run=dry_run))

    def ask(
        self,
        prompt: str,
        model: Model,
        *,
        attempts: int = 3,
        follow_up: bool = False,
        dry_run: bool = False,
        **given: Unpack[Beginning],
    ) -> Exchange:
        """Ask a model, and do what it answers.

        A faulty answer is asked for again, `attempts` times in all, with a line for each fault in
        the Messages of the same request; the last fault is raised. `follow_up` asks again with
        the outcome of the calls that an answer made, at most twenty times. A service that is away
        is waited for as it asks, up to a minute, and counts as an attempt. With `dry_run` an answer
        changes and calls nothing; the question was asked, and waits for an answer that does.
        """
        turn = Turn(model, 0, dry_run)
        done = self._asked(prompt, turn, attempts, given)
        for _ in range(MOST_ROUNDS):
            if not follow_up or dry_run or done.outcome != "action":
                break
            given["previous"] = done.id
            done = self._asked(prompt, turn, attempts, given)
        return done

    def get(self, id: str) -> Exchange:
        """Return an exchange; KM_3001 for an unknown id."""
        with self._nexus.snapshot():
            return self._record(id).exchange(calls_of(self._nexus, id))

    def list(self) -> tuple[Exchange, ...]:
        """Return the exchanges, the oldest first."""
        with self._nexus.snapshot():
            rows = self._nexus.read(EXCHANGES).rows
            elements = [one for (one,) in rows if isinstance(one, Concept)]
            records = (record_of(one, self._nexus) for one in elements)
            return tuple(
                one.exchange(calls_of(self._nexus, one.id)) for one in records if one is not None
            )

    def _showing(self, given: Beginning) -> Showing:
        """Return what a request shows of a document, or of the memory."""
        root, data = given.get("root"), given.get("data")
        branch, node = given.get("attention_branch"), given.get("attention_node")
        now = self._nexus.stats().transactions
        if data is not None:
            document = parse(data) if isinstance(data, str) else data
            ids = {one.id.text for one in document.walk() if not one.id.is_temporary}
            ids |= {one.id.text for one in document.sections if one.id is not None}
            known = frozenset(self._nexus.elements.look_up(ids))
            return Showing(print_text(document), known, transaction=now)
        if root is None and branch is None and node is None:
            return Showing(None, transaction=now)
        view = self._documents.render(root or branch, attention=node, budget=given.get("budget"))
        return Showing(view.text, view.shown, view.shortened, view.transaction)

    # One answer

    def _asked(self, prompt: str, turn: Turn, attempts: int, given: Beginning) -> Exchange:
        if attempts < 1:
            raise refused("attempts is below 1", "pass attempts=3")
        model = turn.model
        assert model is not None
        begun = self.begin(prompt, **given)
        text = begun.request
        for left in reversed(range(attempts)):
            try:
                answer = completion_of(model(text))
                return self._answer(begun.id, answer, turn)
            except RecollectError as error:
                if left == 0 or not waits_out(error):
                    raise
                if error.code.code.startswith("KM_"):
                    text = with_messages(begun.request, fault_lines(error))
        raise AssertionError("an attempt returns or raises")

    def _answer(self, id: str, answer: Completion, turn: Turn) -> Exchange:
        record = self._record(id)
        if record.is_answered:
            return self._again(record, answer.text)
        try:
            response, source, notices = read_answer(answer, record.context)
            turn = replace(turn, source=source, notices=notices)
            return self._take(record, answer.text, response, turn)
        except RecollectError as error:
            if error.code.code.startswith("KM_") and not turn.dry_run:
                failed = replace(
                    record, outcome="invalid", error=error.message, attempts=record.attempts + 1
                )
                self._nexus.write(_outcome(failed), actor=self._documents.actor)
            raise

    def _again(self, record: Record, text: str) -> Exchange:
        if text == record.answer:
            return record.exchange(calls_of(self._nexus, record.id))
        raise CONFLICT.error(
            f'the exchange "{record.id}" is answered already', "begin another, with previous"
        )

    def _take(self, record: Record, text: str, response: Response, turn: Turn) -> Exchange:
        """Do what a response says, and keep that."""
        done = replace(
            record,
            answer=text,
            message=response.message,
            error=response.error,
            attempts=record.attempts + 1,
        )
        match response.response:
            case "data":
                return self._apply(done, response, turn)
            case "action":
                return self._act(done, response, turn)
            case "error":
                return self._finish(replace(done, outcome="error"), turn)
            case _:
                return self._finish(replace(done, outcome="no-data-available"), turn)

    def _apply(self, record: Record, response: Response, turn: Turn) -> Exchange:
        mapped = record.ids
        scope = AnswerScope(record.shown, record.shortened, mapped)
        asked = Asked(
            is_snapshot=False,
            target=record.target,
            base=record.base,
            scope=None if record.scope == "group" else scope,
            dry_run=turn.dry_run,
            request_id=record.id,
        )
        kept: list[Record] = []

        def also(applied: Applied) -> Sequence[Change]:
            self._refuse_second(record.id)
            number = self._nexus.stats().transactions + 1
            done = replace(applied, transaction=number)
            ids = {**mapped, **applied.ids}
            kept.append(replace(record, outcome="data", ids=ids, applied=done, transaction=number))
            return _outcome(kept[0])

        applied = self._documents.write(
            response.data or Document(), asked, source=turn.source, notices=turn.notices, also=also
        )
        done = replace(kept[0], applied=applied, transaction=applied.transaction)
        return done.exchange()

    def _act(self, record: Record, response: Response, turn: Turn) -> Exchange:
        with self._nexus.snapshot():
            prepared = prepare(
                Graph(self._nexus),
                self._functions,
                response.actions,
                record.functions,
                has_model=turn.model is not None and turn.depth < MOST_NESTED,
                source=turn.source,
            )
        caller = Caller(self._nexus, self._documents.actor, self.nested(turn))
        calls, changes = caller.intended(prepared, record.id)
        done = replace(record, outcome="action")
        if turn.dry_run:
            return done.exchange(calls)
        with self._nexus.transaction():
            self._refuse_second(record.id)
            done = replace(done, transaction=self._nexus.stats().transactions + 1)
            written = [*changes, *_outcome(done)]
            self._nexus.write(written, actor=self._documents.actor, request_id=record.id)
        return done.exchange(make_all(caller, calls, prepared))

    def _finish(self, record: Record, turn: Turn) -> Exchange:
        if turn.dry_run:
            return record.exchange()
        with self._nexus.transaction():
            self._refuse_second(record.id)
            record = replace(record, transaction=self._nexus.stats().transactions + 1)
            written = _outcome(record)
            self._nexus.write(written, actor=self._documents.actor, request_id=record.id)
        return record.exchange()

    def nested(self, turn: Turn) -> Callable[[str], Value] | None:
        """Return what asks the model of a turn the prompt of a function, one level deeper."""
        if turn.model is None:
            return None
        deeper = Turn(turn.model, turn.depth + 1)

        def ask(prompt: str) -> Value:
            done = self._asked(prompt, deeper, 3, {"context": "conversation"})
            match done.outcome:
                case "data" | "action":
                    return done.message
                case "error" | "no-data-available" | "invalid" | "waiting":
                    raise MISSING_ENTRY.error(
                        done.error or "the model has no answer", "ask otherwise"
                    )
                case _:
                    assert_never(done.outcome)

        return ask

    def _refuse_second(self, id: str) -> None:
        if self._record(id).is_answered:
            raise CONFLICT.error(f'the exchange "{id}" was answered meanwhile', SEE_EXCHANGES)

    def _record(self, id: str) -> Record:
        element = self._nexus.elements.look_up([id]).get(id)
        record = None if element is None else record_of(element.element, self._nexus)
        if record is None:
            raise UNKNOWN_ID.error(f'no exchange has the id "{id:.60}"', SEE_EXCHANGES)
        return record

    def _earlier(self, previous: str | None) -> Sequence[tuple[Record, tuple[Call, ...]]]:
        """Return the exchanges that one goes on from, the oldest first, with their calls."""
        found: deque[tuple[Record, tuple[Call, ...]]] = deque()
        while previous is not None and len(found) < MOST_ROUNDS:
            record = self._record(previous)
            found.appendleft((record, calls_of(self._nexus, previous)))
            previous = record.previous
        return found


def _functions_of(given: Beginning) -> tuple[str, ...]:
    """Return the functions that may be called; INVALID_ARGUMENT for arguments that are none."""
    functions, scope = given.get("functions", ()), given.get("scope", "shown")
    told, hint = "", ""
    if isinstance(functions, str):
        told, hint = "functions is a str", f"pass functions=[{functions!r:.60}]"
    elif scope not in ("shown", "group"):
        told, hint = f"scope is {scope!r:.40}", 'pass scope="shown" or scope="group"'
    elif given.get("data") is not None and given.get("root") is not None:
        told, hint = "root and data are both given", "pass one of them"
    if told:
        raise refused(told, hint)
    return tuple(functions)


def _turns(earlier: Sequence[tuple[Record, Sequence[Call]]]) -> list[str]:
    """Return the lines of Messages that carry earlier turns on."""
    told: list[str] = []
    for record, calls in earlier:
        told.append(f"Earlier request: {record.prompt}")
        if record.message:
            told.append(f"Earlier answer: {record.message}")
        if record.applied is not None:
            told += [f"Earlier change: {line}" for line in record.applied.changes]
        if record.outcome in ("error", "no-data-available"):
            told.append(f"Earlier answer: {record.outcome} {record.error or ''}".rstrip())
        told += [call.told for call in calls]
    return told


def read_answer(
    answer: Completion, context: str, step: str | None = None
) -> tuple[Response, str, tuple[Notice, ...]]:
    """Return what a model answered, repaired if need be, what faults of it quote, and notices.

    KM_2008 for an answer that was cut.
    """
    if not answer.is_complete:
        raise INCOMPLETE.error("the answer was cut off before its end", "ask for a shorter one")
    if len(answer.text) > MOST_ANSWER or len(answer.text.encode("utf-8", "replace")) > MOST_ANSWER:
        raise MARKUP_LIMIT.error("the answer is larger than 1 MiB", "ask for less")
    repaired = repair_response(answer.text, context=context, step=step)
    if not repaired.notices:
        return repaired.value, answer.text, ()
    said = print_text(repaired.value)
    return parse_response(said, context=context), said, repaired.notices


def make_all(
    caller: Caller, calls: Sequence[Call], prepared: Sequence[Prepared]
) -> tuple[Call, ...]:
    """Make calls in order, up to the first that fails; the rest stay intended."""
    made = list(calls)
    for number, (call, one) in enumerate(zip(calls, prepared, strict=True)):
        made[number] = caller.make(call, one)
        if made[number].state != "done":
            break
    return tuple(made)


def completion_of(given: str | Completion) -> Completion:
    """Return what a model gave as a completion."""
    if not isinstance(given, str | Completion):
        told = f"the model returned a {type(given).__name__}"
        raise refused(told, "return a str, or a Completion")
    return Completion(given) if isinstance(given, str) else given


def waits_out(error: RecollectError) -> bool:
    """Whether another attempt may help, after the wait that a service asks for."""
    if error.code.code.startswith("KM_"):
        return True
    if error.code is not UNAVAILABLE:
        return False
    status, seconds = error.details.get("status"), error.details.get("retry_seconds")
    if isinstance(status, int) and status < 500 and status not in (408, 429):
        return False
    if isinstance(seconds, float) and seconds > 0:
        time.sleep(min(seconds, MOST_WAIT))
    return True


def fault_lines(error: RecollectError) -> list[str]:
    """Return a line for each fault of an answer: its code, its line, what is wrong, what helps."""
    told = error.details.get("errors")
    faults = told if isinstance(told, list) else [error.to_wire()]
    lines: list[str] = []
    for one in faults[:MOST_ROUNDS]:
        place = f" line {one['line']}" if "line" in one else ""
        hint = f" ({one['hint']})" if one.get("hint") else ""
        lines.append(f"{LAST_ANSWER}{one['code']}{place}: {one['message']}{hint}")
    return lines


def request_text(request: Request, data: str | None, branch: str | None, node: str | None) -> str:
    """Return the text of a request whose Data is a text already, with its comments."""
    parts = [print_text(request)]
    if data is not None:
        parts.append(f"Data:\n{data}")
    parts += [f"AttentionBranch:{value_text(branch, 0)}\n"] if branch is not None else []
    parts += [f"AttentionNode:{value_text(node, 0)}\n"] if node is not None else []
    return "".join(parts)


def with_messages(request: str, lines: Sequence[str]) -> str:
    """Return the text of a request with more items in its Messages."""
    head, mark, data = request.partition("\nData:\n")
    before, instructions, after = head.partition("\nInstructions:")
    before = before.rstrip("\n")
    items = "".join(f"\n  - {quoted_text(line)}" for line in lines)
    title = "" if "\nMessages:\n" in f"{before}\n" else "\nMessages:"
    end = "" if mark or instructions else "\n"
    return f"{before}{title}{items}{instructions}{after}{end}{mark}{data}"


def _kept(record: Record) -> list[Change]:
    """Return what keeps a new exchange."""
    put = PutConcept(EXCHANGE, record.id, record.attributes(), UNSEARCHED, id=record.id)
    links = (PutLink(record.id, SHOWED, one) for one in sorted(record.shown))
    return [put, *links]


def _outcome(record: Record) -> list[Change]:
    """Return what keeps the outcome of an exchange."""
    return [PutConcept(EXCHANGE, record.id, record.outcome_attributes(), id=record.id)]

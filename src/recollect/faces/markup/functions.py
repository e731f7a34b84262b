"""Functions that a model may call: what is registered, what is declared, and one call of each.

The rule: nothing runs unless the FUNCTION lives, something is registered for it or its Content is
a prompt, the call is allowed here, and exactly the declared arguments are given, each of its type.
A call is committed before its handler runs, and with its outcome after.
"""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, Literal, get_args

import orjson

from recollect.errors import FUNCTION_REFUSED, RecollectError, nearest, not_among, refused
from recollect.faces.markup.graph import (
    CALL,
    CONTENT,
    FUNCTION,
    NOTE,
    SHOWED,
    UNSEARCHED,
    Graph,
    label_of,
    text_of,
)
from recollect.faces.markup.messages import Action
from recollect.faces.markup.model import Document, Id, Node, Space
from recollect.faces.markup.values import FieldType, field_type, field_value, hint_for
from recollect.kernel import Nexus
from recollect.model import Change, Concept, PutConcept, PutLink, Value
from recollect.node import dataclass, replace

MOST_RESULT: Final = 2**20
"""Bytes of the JSON that a function returns."""

CallState = Literal["intended", "done", "failed", "unknown"]
_STATES: Final[Mapping[str, CallState]] = {one: one for one in get_args(CallState)}
_PLACEHOLDER = re.compile(r"\{([^{}\n]{1,200})\}")
_ONE_LINE: Final = 500


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a function: `arguments` by Label, `key` the same whenever it is tried again."""

    id: str
    function: str
    arguments: Mapping[str, Value]
    state: CallState
    result: Value = None
    error: str | None = None
    key: str = ""

    @property
    def told(self) -> str:
        """What a model is told of it."""
        match self.state:
            case "done":
                return f"{self.function} returned: {orjson.dumps(self.result).decode()}"
            case "failed":
                return f"{self.function} failed: {self.error}"
            case _:
                return f"{self.function} has no known outcome"


Handler = Callable[[dict[str, Value], Call], Value]
"""Takes the arguments by Label, and the call; returns a JSON value."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A handler, and what is known of it."""

    handler: Handler
    arguments: Mapping[str, str]
    idempotent: bool
    seconds: float


class Functions:
    """The functions that this process can run.

    >>> functions = Functions()
    >>> functions.register("add", lambda given, call: given["a"] + 1, arguments={"a": "number"})
    >>> "add" in functions
    True
    """

    def __init__(self) -> None:
        self._registered: dict[str, Registered] = {}

    def register(
        self,
        id: str,
        handler: Handler,
        *,
        arguments: Mapping[str, str] | None = None,
        idempotent: bool = False,
        seconds: float = 30.0,
    ) -> None:
        """Let a handler answer the calls of the FUNCTION of that id.

        `arguments` maps Label to type; `idempotent` says that a call whose outcome is unknown may
        be made again under its key; `seconds` is how long one may take. INVALID_ARGUMENT for a
        type that is none.
        """
        declared = dict(arguments or {})
        for label, kind in declared.items():
            if field_type(kind).name == "any":
                raise refused(
                    f"the argument {label!r:.60} of {id!r:.60} has no known type: {kind!r:.60}",
                    "use text, number, integer, boolean, date, datetime, email, url or node",
                )
        self._registered[id] = Registered(handler, declared, idempotent, seconds)

    def __contains__(self, id: str) -> bool:
        return id in self._registered

    def find(self, id: str) -> Registered | None:
        """Return what is registered for a FUNCTION, if anything is."""
        return self._registered.get(id)

    def node(self, id: str) -> Node:
        """Return the FUNCTION node that declares what is registered."""
        registered = self._registered.get(id)
        if registered is None:
            message = f"no function is registered as {id!r:.60}"
            raise not_among(message, id, self._registered, 'use "{}"', "register it first")
        fields = tuple(
            Node(Id(f"{id}-argument-{number}"), fields={"Label": label, "Content": kind})
            for number, (label, kind) in enumerate(registered.arguments.items(), 1)
        )
        return Node(Id(id), "FUNCTION", (), {"Label": id}, fields)


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument that a FUNCTION declares."""

    id: str
    label: str
    content: str

    @property
    def type(self) -> FieldType:
        """The type that its Content names."""
        return field_type(self.content)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a FUNCTION of the graph declares."""

    id: str
    label: str
    content: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return f"{self.id}({', '.join(f'{one.label}: {one.content}' for one in self.parameters)})"

    @property
    def is_prompt(self) -> bool:
        """Whether its Content is a prompt: it holds the Label of an argument in braces."""
        labels = {one.label for one in self.parameters}
        return any(one in labels for one in _PLACEHOLDER.findall(self.content))

    def prompt(self, arguments: Mapping[str, Value]) -> str:
        """Return its Content with the arguments in place; what they hold is not read again."""
        return _PLACEHOLDER.sub(
            lambda found: text_of(arguments[found[1]]) if found[1] in arguments else found[0],
            self.content,
        )

    def node(self) -> Node:
        """Return the node that shows it, read-only, as a request does."""
        state = ("read-only",)
        below = tuple(
            Node(Id(one.id), None, state, {"Label": one.label, "Content": one.content})
            for one in self.parameters
        )
        fields = {"Label": self.label} | ({"Content": self.content} if self.content else {})
        return Node(Id(self.id), "FUNCTION", state, fields, below)


def signature_of(graph: Graph, id: str) -> Signature | None:
    """Return what a living FUNCTION declares; None where there is none of that id."""
    graph.fetch([id])
    held = graph.elements.get(id)
    if held is None or held.type != FUNCTION:
        return None
    parameters: list[Parameter] = []
    for space in dict.fromkeys(one.space for one in graph.places(id)):
        for place, child in graph.children([id], space).get(id, ()):
            if child.type != NOTE and place.is_living:
                content = text_of(child.attributes.get(CONTENT) or "")
                parameters.append(Parameter(child.id, label_of(child) or child.id, content))
        break
    content = text_of(held.attributes.get(CONTENT) or "")
    return Signature(id, label_of(held) or id, content, tuple(parameters))


def shown_functions(graph: Graph, ids: Sequence[str]) -> Document:
    """Return the section of a request that shows the functions which may be called."""
    nodes = []
    for id in ids:
        signature = signature_of(graph, id)
        if signature is None:
            raise FUNCTION_REFUSED.error(
                f'there is no FUNCTION "{id:.60}"', "name a FUNCTION that lives"
            )
        nodes.append(signature.node())
    return Document((Space(nodes=tuple(nodes)),))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that may be made."""

    signature: Signature
    arguments: Mapping[str, Value]
    nodes: tuple[str, ...]  # that its arguments name
    registered: Registered | None  # None: its Content is a prompt


def prepare(
    graph: Graph,
    functions: Functions,
    actions: Sequence[Action],
    allowed: Collection[str],
    *,
    has_model: bool,
    source: str,
) -> tuple[Prepared, ...]:
    """Return the calls of a response, all of them checked; KM_3009 for the first that may not be.

    `allowed` are the FUNCTIONs that may be called here; a prompt is run only where there is a
    model. `source` is the text that the actions are in, empty for one that was repaired.
    """
    found: list[Prepared] = []
    for one in actions:
        try:
            found.append(_prepared(graph, functions, one, allowed, has_model))
        except RecollectError as error:
            raise replace(error, source=source, span=one.span if source else None) from error
    return tuple(found)


def _prepared(
    graph: Graph, functions: Functions, action: Action, allowed: Collection[str], has_model: bool
) -> Prepared:
    id = action.function
    if id not in allowed:
        near = nearest(id, allowed)
        hint = f"call {near[0]}" if near else "answer without a call"
        raise FUNCTION_REFUSED.error(
            f'the function "{id:.60}" is not allowed here', hint, known=tuple(allowed)
        )
    signature = signature_of(graph, id)
    if signature is None:
        raise FUNCTION_REFUSED.error(f'there is no FUNCTION "{id:.60}"', "answer without it")
    registered = functions.find(id)
    if registered is None and not (signature.is_prompt and has_model):
        raise FUNCTION_REFUSED.error(
            f"nothing here runs the function {signature}", "answer without it"
        )
    arguments, nodes = _arguments(graph, signature, action.arguments)
    return Prepared(signature, arguments, nodes, registered)


def _arguments(
    graph: Graph, signature: Signature, given: Mapping[str, str]
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Return the arguments by Label, each of its type, and the nodes they name."""
    by_name = {one.id: one for one in signature.parameters}
    by_name |= {one.label: one for one in signature.parameters if one.label not in by_name}
    values: dict[str, Value] = {}
    nodes: list[str] = []
    for name, text in given.items():
        parameter = by_name.get(name)
        if parameter is None:
            message, known = f'{signature} has no argument "{name:.60}"', [*by_name]
            otherwise = f"the signature is {signature}"
            raise not_among(message, name, known, "use {}", otherwise, FUNCTION_REFUSED)
        if parameter.label in values:
            raise FUNCTION_REFUSED.error(
                f'"{parameter.label:.60}" is given twice to {signature}', "give it once"
            )
        said = field_value(text, parameter.type)
        if said is None:
            said_type = f"is not of the type {parameter.content:.60}"
            told = f'"{parameter.label:.60}" of {signature} {said_type}: "{text:.60}"'
            raise FUNCTION_REFUSED.error(told, hint_for(parameter.type))
        graph.fetch(said.nodes)
        missing = [one for one in said.nodes if one not in graph.elements]
        if missing:
            raise FUNCTION_REFUSED.error(
                f'nothing has the id "{missing[0]:.60}"', "name a node that is shown"
            )
        nodes += said.nodes
        values[parameter.label] = typed(text, parameter.type)
    absent = [one.label for one in signature.parameters if one.label not in values]
    if absent:
        raise FUNCTION_REFUSED.error(
            f'{signature} lacks its argument "{absent[0]:.60}"', "give every argument"
        )
    return values, tuple(nodes)


def typed(text: str, kind: FieldType) -> Value:
    """Return a value of its type: numbers, booleans and lists as such, everything else as text.

    >>> typed("1, 2.5", field_type("list of number")), typed("yes", field_type("boolean"))
    ([1, 2.5], True)
    """
    if kind.is_list:
        one = FieldType(kind.name, kind.choices)
        return [typed(part.strip(), one) for part in text.split(",")]
    said = field_value(text, kind)
    if kind.name in ("number", "integer") and said is not None:
        return said.number
    if kind.name == "boolean":
        return text.strip().lower() in ("true", "yes")
    return text


class Caller:
    """Makes the calls of an exchange or a run, each committed before and after."""

    def __init__(self, nexus: Nexus, actor: str | None, ask: Callable[[str], Value] | None) -> None:
        """Take what asks a model a prompt, if there is a model."""
        self._nexus = nexus
        self._actor = actor
        self._ask = ask

    def intended(
        self, prepared: Sequence[Prepared], owner: str, first: int = 0
    ) -> tuple[tuple[Call, ...], list[Change]]:
        """Return the calls as they are before they are made, and what keeps them."""
        calls: list[Call] = []
        changes: list[Change] = []
        for number, one in enumerate(prepared, first + 1):
            key = f"{owner}:{number}"
            call = Call(
                str(uuid.uuid4()), one.signature.id, one.arguments, "intended", None, None, key
            )
            calls.append(call)
            changes.append(_kept(call, owner, number))
            changes += (
                PutLink(call.id, SHOWED, node)
                for node in dict.fromkeys((one.signature.id, *one.nodes))
            )
        return tuple(calls), changes

    def make(self, call: Call, prepared: Prepared) -> Call:
        """Make one call, and keep its outcome."""
        if prepared.registered is None:
            done = self._asked(call, prepared.signature.prompt(call.arguments))
        else:
            done = run(prepared.registered, call)
        self.keep(done)
        return done

    def keep(self, call: Call) -> None:
        """Keep the outcome of a call."""
        self._nexus.write([_outcome(call)], actor=self._actor)

    def _asked(self, call: Call, prompt: str) -> Call:
        assert self._ask is not None  # a prompt is prepared only where there is a model
        try:
            return _with(call, "done", self._ask(prompt))
        except RecollectError as error:
            return _with(call, "failed", error=_one_line(error.message))


def run(registered: Registered, call: Call) -> Call:
    """Return a call after its handler ran, within its seconds; a fault of it is one line."""
    outcome: list[Call] = []

    def work() -> None:
        try:
            result = registered.handler(dict(call.arguments), call)
        except Exception as error:  # noqa: BLE001 - the edge: a handler is foreign code
            name = type(error).__name__
            outcome.append(_with(call, "failed", error=_one_line(f"{name}: {error}")))
            return
        outcome.append(_finished(call, result))

    thread = threading.Thread(target=work, name=f"recollect-call-{call.function:.40}", daemon=True)
    thread.start()
    thread.join(registered.seconds)
    if outcome:
        return outcome[0]
    return _with(call, "failed", error=f"it took longer than {registered.seconds:g} s")


def _finished(call: Call, result: Value) -> Call:
    try:
        size = len(orjson.dumps(result))
    except (TypeError, orjson.JSONEncodeError):
        return _with(call, "failed", error="what it returned is no JSON value")
    if size > MOST_RESULT:
        return _with(call, "failed", error="what it returned is larger than 1 MB")
    return _with(call, "done", result)


def _with(call: Call, state: CallState, result: Value = None, error: str | None = None) -> Call:
    return Call(call.id, call.function, call.arguments, state, result, error, call.key)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _ONE_LINE else f"{line[: _ONE_LINE - 1]}\u2026"


def _kept(call: Call, owner: str, number: int) -> PutConcept:
    attributes: dict[str, Value] = {
        "function": call.function,
        "arguments": dict(call.arguments),
        "state": call.state,
        "key": call.key,
        "owner": owner,
        "number": number,
    }
    return PutConcept(CALL, call.id, attributes, UNSEARCHED, id=call.id)


def _outcome(call: Call) -> PutConcept:
    attributes: dict[str, Value] = {"state": call.state, "result": call.result}
    if call.error is not None:
        attributes["error"] = call.error
    return PutConcept(CALL, call.id, attributes, id=call.id)


def call_of(kept: Concept) -> Call:
    """Return a call as it is kept."""
    held = kept.attributes
    state, arguments, error = held.get("state"), held.get("arguments"), held.get("error")
    return Call(
        kept.id,
        text_of(held.get("function") or ""),
        arguments if isinstance(arguments, dict) else {},
        _STATES.get(text_of(state or ""), "unknown"),
        held.get("result"),
        error if isinstance(error, str) else None,
        text_of(held.get("key") or ""),
    )

"""Requests and responses: the messages of the protocol, as values and as texts.

The rule: a message is a `Context:` line and entries in any order, each once. Which entries a
message must and may have is one table, by its kind and its context. Specification, section 5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from recollect.errors import (
    DUPLICATE_ENTRY,
    INVALID_ATTENTION,
    INVALID_RESPONSE,
    MISSING_ENTRY,
    NO_CONTEXT,
    UNEXPECTED_LINE,
    UNKNOWN_ENTRY,
    WRONG_CONTEXT,
    Code,
    Span,
    nearest,
    refused,
)
from recollect.faces.markup.mending import as_comments, in_its_case, joined
from recollect.faces.markup.model import USE_FUNCTION, VALUE, Document, Id, Node, Space
from recollect.faces.markup.parser import DocumentReader, Place
from recollect.faces.markup.printer import Printer
from recollect.faces.markup.text import (
    MOST_ID,
    Lines,
    block_text,
    ignore_fault,
    quoted_text,
    shown,
    value_text,
)
from recollect.node import dataclass, field

CONTEXTS: Final = ("command", "workflow", "conversation")
RESPONSES: Final = ("data", "action", "error", "no-data-available")
FINISHED: Final = "Finished workflow"
"""What a response of a workflow may say instead, at its last step."""

_PROMPT, _MESSAGES, _INSTRUCTIONS = "Prompt", "Messages", "Instructions"
_STEP, _STATUS, _RESPONSE = "Workflow step", "Workflow status", "Response"
_MESSAGE, _ACTION, _ERROR, _DATA = "Message", "Action", "Error", "Data"
_BRANCH, _NODE = "AttentionBranch", "AttentionNode"
ENTRIES: Final = (
    *(_PROMPT, _MESSAGES, _INSTRUCTIONS, _STEP, _STATUS, _RESPONSE),
    *(_MESSAGE, _ACTION, _ERROR, _DATA, _BRANCH, _NODE),
)
"""All entries, in the order in which they are printed."""

_ATTENTION = (_DATA, _BRANCH, _NODE)
REQUEST_ENTRIES: Final[Mapping[str, tuple[str, ...]]] = {
    "command": (_PROMPT, _MESSAGES, *_ATTENTION),
    "workflow": (_MESSAGES, _INSTRUCTIONS, *_ATTENTION),
    "conversation": (_PROMPT, _MESSAGES, *_ATTENTION),
}
RESPONSE_ENTRIES: Final[Mapping[str, tuple[str, ...]]] = {
    "command": (_RESPONSE, _ACTION, _ERROR, _DATA),
    "workflow": (_STEP, _STATUS, _RESPONSE, _MESSAGE, _ACTION, _ERROR, _DATA),
    "conversation": (_RESPONSE, _MESSAGE, _ACTION, _ERROR, _DATA),
}
_TEXTS = frozenset({_PROMPT, _INSTRUCTIONS, _MESSAGE, _ERROR})
_CONTEXT_LINE = re.compile(r"Context:[ \t]+(.*)")
_ENTRY = re.compile(r"([^\W\d_][\w \-]*):(?:[ \t]+(.*)|$)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_CALL = re.compile(r"([^\s{]+|\"[^\"]*\")[ \t]*(\{.*\})?")


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked.

    >>> Request("command", prompt="What do lions eat?").prompt
    'What do lions eat?'
    """

    context: str
    prompt: str | None = None
    messages: tuple[str, ...] = ()
    instructions: str | None = None
    data: Document | None = None
    attention_branch: str | None = None
    attention_node: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """A function that a response calls, with its arguments by id or Label, as texts."""

    function: str
    arguments: Mapping[str, str]
    span: Span | None = field(default=None, compare=False, repr=False)  # of its header


@dataclass(frozen=True, slots=True)
class Response:
    """What a model answers; `data` and `action` are documents.

    >>> Response("workflow", "data", workflow_status="finished").is_finished
    True
    """

    context: str
    response: str
    workflow_step: str | None = None
    workflow_status: str | None = None
    message: str | None = None
    data: Document | None = None
    action: Document | None = None
    error: str | None = None

    @property
    def is_finished(self) -> bool:
        """Whether it says that the workflow is finished, in either form."""
        return self.response == FINISHED or self.workflow_status == "finished"

    @property
    def actions(self) -> tuple[Action, ...]:
        """The calls that it makes, in order."""
        nodes = () if self.action is None else self.action.walk()
        return tuple(_called(one) for one in nodes if one.kind == "ACTION" and one.use_function)


def _called(node: Node) -> Action:
    arguments = {one.id.text: one.value or "" for one in node.nodes}
    return Action(node.use_function or "", arguments, node.span)


def parse_request(text: str) -> Request:
    r"""Return the request that a text says, strictly.

    Raises a `RecollectError` with a KM code for the first fault: KM_2001 to KM_2007 for what is no
    request, the codes of `parse` for its Data.

    >>> parse_request('Context: command\nPrompt: "What do lions eat?"').prompt
    'What do lions eat?'
    """
    return read_request(Lines(text))


def parse_response(text: str, *, context: str | None = None) -> Response:
    r"""Return the response that a text says, strictly; of a `context`, if one is given.

    Raises a `RecollectError` with a KM code for the first fault: KM_2001 to KM_2005 for what is no
    response, KM_2009 for one of another context, the codes of `parse` for its documents.

    >>> parse_response("Context: command\nResponse: no-data-available").response
    'no-data-available'
    """
    return read_response(Lines(text), context)


def read_request(lines: Lines) -> Request:
    """Return the request that the lines of a text say."""
    entries = _Entries(lines, REQUEST_ENTRIES, "request")
    context = entries.read()
    if context == "workflow":
        if not entries.has(_MESSAGES) and not entries.has(_INSTRUCTIONS):
            entries.fault(
                MISSING_ENTRY,
                "a request of a workflow has neither Messages nor Instructions",
                hint='add Instructions: "..."',
            )
    elif not entries.has(_PROMPT):
        entries.fault(MISSING_ENTRY, "the request has no Prompt", hint='add Prompt: "..."')
    request = Request(
        context,
        entries.texts.get(_PROMPT),
        entries.messages,
        entries.texts.get(_INSTRUCTIONS),
        entries.documents.get(_DATA),
        entries.texts.get(_BRANCH),
        entries.texts.get(_NODE),
    )
    for told, entry in _lost_attention(request):
        entries.fault(INVALID_ATTENTION, told, entry=entry, hint="name an id that Data shows there")
    return request


def entry_place(source: str, entry: str) -> Span | None:
    """Return where the value of an entry of a response stands, as far as it is on its line."""
    lines = Lines(source, ignore_fault)
    entries = _Entries(lines, RESPONSE_ENTRIES, "response")
    entries.read()
    place = entries.values.get(entry)
    return None if place is None else lines.span(*place)


def _lost_attention(request: Request) -> list[tuple[str, str]]:
    """Return what is wrong with the ids of the attention, and in which entry."""
    if request.data is None:
        return []
    branch, node = request.attention_branch, request.attention_node
    within: Document | Space | Node = request.data
    if branch is not None:
        spaces = (one for one in request.data.sections if one.id and one.id.text == branch)
        nodes = (one for one in request.data.walk() if one.id.text == branch)
        found = next(spaces, None) or next(nodes, None)
        if found is None:
            return [(f'Data has no node "{shown(branch)}"', _BRANCH)]
        within = found
    if node is not None and all(one.id.text != node for one in within.walk()):
        where = "Data" if branch is None else "the attention branch"
        return [(f'{where} has no node "{shown(node)}"', _NODE)]
    return []


def read_response(lines: Lines, wanted: str | None = None) -> Response:
    """Return the response that the lines of a text say."""
    entries = _Entries(lines, RESPONSE_ENTRIES, "response", wanted)
    context = entries.read()
    said = entries.texts.get(_RESPONSE)
    values = (*RESPONSES, FINISHED) if context == "workflow" else RESPONSES
    if said is None:
        found = {_ACTION: "action", _ERROR: "error", _DATA: "data"}
        meant = [one for key, one in found.items() if entries.has(key)]
        add = f"Response: {meant[0] if meant else 'data'}"
        fix = add if len(meant) == 1 else None
        entries.fault(MISSING_ENTRY, "the answer has no Response", hint=f"add {add}", fix=fix)
    elif said not in values:
        near = nearest(said, values, limit=1)
        hint = f"use {near[0]}" if near else f"use one of {', '.join(values)}"
        told = f"there is no response `{shown(said)}`"
        fix = in_its_case(said, values)
        entries.fault(INVALID_RESPONSE, told, entry=_RESPONSE, hint=hint, known=values, fix=fix)
    if context == "workflow" and not entries.has(_STEP):
        told = "the answer of a workflow has no Workflow step"
        entries.fault(MISSING_ENTRY, told, hint="add Workflow step: and the step of the request")
    status = entries.texts.get(_STATUS)
    if status not in (None, "finished"):
        told = f"there is no workflow status `{shown(status or '')}`"
        hint = "use finished, or leave it out"
        fix = in_its_case(status or "", ["finished"])
        entries.fault(INVALID_RESPONSE, told, entry=_STATUS, hint=hint, fix=fix)
    if context == "conversation" and not entries.has(_MESSAGE):
        told = "the answer of a conversation has no Message"
        entries.fault(MISSING_ENTRY, told, hint='add Message: "..."')
    _check_parts(entries, context, said)
    data = entries.documents.get(_DATA)
    return Response(
        context,
        said or "",
        entries.texts.get(_STEP),
        status,
        entries.texts.get(_MESSAGE),
        None if said in ("error", "no-data-available") else data,
        entries.documents.get(_ACTION),
        entries.texts.get(_ERROR),
    )


def _check_parts(entries: _Entries, context: str, said: str | None) -> None:
    """See that Data, Action and Error are there where the response asks for them, and not else."""
    if said == "data" and context == "command" and not entries.has(_DATA):
        entries.fault(MISSING_ENTRY, "a response of data has no Data", hint="add Data:")
    for response, entry in (("action", _ACTION), ("error", _ERROR)):
        if said == response and not entries.has(entry):
            told = f"a response of {response} has no {entry}"
            entries.fault(MISSING_ENTRY, told, hint=f"add {entry}:")
        elif said != response and said is not None and entries.has(entry):
            told = f"{entry} stands beside Response: {shown(said)}"
            entries.fault(MISSING_ENTRY, told, entry=entry, hint=f"use Response: {response}")
    if said == "action" and entries.has(_DATA):
        told = "Data stands beside Response: action"
        entries.fault(MISSING_ENTRY, told, entry=_DATA, hint="answer with one of them")
    action = entries.documents.get(_ACTION)
    if action is not None:
        roots = [one for section in action.sections for one in section.nodes]
        if not roots or any(one.kind != "ACTION" or not one.use_function for one in roots):
            told = "Action holds something else than ACTION nodes with a function"
            hint = "write - ACTION ID: new-1 [created], and Use function: below it"
            entries.fault(MISSING_ENTRY, told, entry=_ACTION, hint=hint)


class _Entries:
    """The entries of one message, read once; faults go to the sink of its lines."""

    def __init__(
        self,
        lines: Lines,
        known: Mapping[str, tuple[str, ...]],
        kind: str,
        wanted: str | None = None,
    ) -> None:
        self._lines = lines
        self._known = known
        self._kind = kind
        self._wanted = wanted
        self._at = 0
        self._offset = 0
        self._places: dict[str, tuple[int, int]] = {}
        self.values: dict[str, tuple[int, int]] = {}  # of those on the line of their entry
        self._context = (0, 0)
        self.texts: dict[str, str] = {}
        self.documents: dict[str, Document] = {}
        self.messages: tuple[str, ...] = ()
        self.comments: dict[Place, list[str]] = {}

    def has(self, entry: str) -> bool:
        """Whether the message has an entry."""
        return entry in self._places

    def fault(
        self,
        code: Code,
        message: str,
        *,
        entry: str | None = None,
        hint: str = "",
        known: tuple[str, ...] = (),
        fix: str | None = None,
    ) -> None:
        """Tell of a fault of an entry, or of the message.

        `fix` is the value of the entry mended, or another entry below the context.
        """
        place = self._context if entry is None else self._places.get(entry, self._context)
        end = self._context[1]
        at = (end, end) if entry is None else self.values.get(entry, place)
        fix = f"\n{fix}" if fix is not None and entry is None else fix
        self._lines.fault(code, message, *place, hint=hint, known=known, fix=fix, at=at)

    def read(self) -> str:
        """Read the whole message, and return its context."""
        context = self._read_context()
        texts = self._lines.lines
        waiting: list[str] = []
        while self._at < len(texts):
            line = texts[self._at]
            stripped = line.strip(" \t")
            if not stripped or stripped[0] == "#":
                waiting += [stripped] if stripped else []
                self._next(line)
                continue
            found = _ENTRY.fullmatch(line)
            if found is None:
                self._refuse_lines(line, stripped)
                continue
            if waiting:
                self.comments[-1, found[1]] = waiting
                waiting = []
            self._read_entry(context, found, line)
        if waiting:
            self.comments[-1, None] = waiting
        return context

    def _refuse_lines(self, line: str, stripped: str) -> None:
        """Tell of a line that is no entry, and of those that go on with it."""
        texts, first, start = self._lines.lines, self._at, self._offset
        told = f"`{shown(stripped)}` is no entry of a {self._kind}"
        hint = "write a text in quotes, or between two lines of one backtick"
        self._next(line)
        while (
            self._at < len(texts)
            and texts[self._at].strip(" \t#")
            and _ENTRY.fullmatch(texts[self._at]) is None
        ):
            self._next(texts[self._at])
        run, at, end = texts[first : self._at], start, self._offset - 1
        above = _ENTRY.fullmatch(texts[first - 1])
        entry = "" if above is None else above[1].rstrip()
        value = self.texts.get(entry)
        is_joined = above is not None and entry in _TEXTS and (above[2] or "").strip("` \t")
        if above is not None and value is not None and is_joined:
            at, fix = start - len(texts[first - 1]) - 1 + above.end(1) + 1, joined(value, run, 0)
        else:
            fix = as_comments(run)
        place = start + line.index(stripped[0]), start + len(line)
        self._lines.fault(UNEXPECTED_LINE, told, *place, hint=hint, fix=fix, at=(at, end))

    def _read_context(self) -> str:
        texts = self._lines.lines
        while self._at < len(texts) and not texts[self._at].strip(" \t"):
            self._next(texts[self._at])
        line = texts[self._at] if self._at < len(texts) else ""
        self._context = self._offset, self._offset + len(line)
        found = _CONTEXT_LINE.fullmatch(line)
        said = found[1].strip(" \t") if found else ""
        if said not in CONTEXTS:
            told = f"a {self._kind} does not begin with its Context"
            hint, at = f"begin with Context: {self._wanted or 'command'}", (0, 0)
            fix = None if said or self._wanted is None else f"Context: {self._wanted}\n"
            if found is not None:
                told = f"there is no context `{shown(said)}`"
                near = nearest(said, CONTEXTS, limit=1)
                hint = f"use {near[0]}" if near else f"use one of {', '.join(CONTEXTS)}"
                meant = in_its_case(said, CONTEXTS)
                at, fix = self._context, f"Context: {meant}" if meant else None
            self._lines.fault(
                NO_CONTEXT, told, *self._context, hint=hint, known=CONTEXTS, fix=fix, at=at
            )
            said = self._wanted or "command"
            if found is None:
                return said
        elif self._wanted is not None and said != self._wanted:
            told = f"the answer is of the context {said}, its request of {self._wanted}"
            fix = f"Context: {self._wanted}"
            self._lines.fault(WRONG_CONTEXT, told, *self._context, hint=f"use {fix}", fix=fix)
        self._next(line)
        return said

    def _read_entry(self, context: str, found: re.Match[str], line: str) -> None:
        name, start = found[1].rstrip(), self._offset
        place = start, start + len(found[1])
        allowed = self._known[context]
        is_kept = name in allowed and name not in self._places
        value = (found[2] or "").strip(" \t")
        at = start + (found.start(2) if found[2] is not None else len(line))
        if name not in self._places:
            self._places[name] = place
            self.values[name] = at, start + len(line)
        self._next(line)
        if name == _MESSAGES and not value:
            items = self._read_items()
            self.messages = items if is_kept else self.messages
        elif name in (_DATA, _ACTION) and not value:
            document = self._read_document()
            if is_kept:
                self.documents[name] = document
        elif name == _ACTION and value[0] != "-":
            action = self._one_call(value, at)
            if is_kept and action is not None:
                self.documents[name] = action
        elif name in (_DATA, _ACTION, _MESSAGES):
            told = f"`{shown(value)}` stands behind {name}:"
            hint = "write it below, on lines of its own"
            is_told = value[0] == "-" or name == _MESSAGES
            fix = f"\n{value if value[0] == '-' else f'- {value}'}" if is_told else None
            self._lines.fault(UNEXPECTED_LINE, told, at, at + len(value), hint=hint, fix=fix)
        else:
            reader = DocumentReader(self._lines, self._at, self._offset)
            text = reader.value(0, value, at)
            self._at, self._offset = reader.at, reader.offset
            if is_kept and text is not None:
                self.texts[name] = text
        if not is_kept:
            self._refuse(name, context, place)

    def _refuse(self, name: str, context: str, place: tuple[int, int]) -> None:
        """Tell of an entry that may not be there, whose lines were read."""
        elsewhere = {one for entries in self._known.values() for one in entries}
        allowed, lines = self._known[context], self._lines
        if name in allowed:
            told, hint = f"the entry {name} is there twice", f"keep one {name}"
            lines.fault(DUPLICATE_ENTRY, told, *place, hint=hint)
            return
        if name in elsewhere:
            told, hint = f"a {self._kind} of the context {context} has no {name}", f"remove {name}"
            lines.fault(MISSING_ENTRY, told, *place, hint=hint, known=allowed)
            return
        near = nearest(name, allowed, limit=1)
        told, known = f"a {self._kind} has no entry {shown(name)}", tuple(near or allowed)
        hint = f"use {near[0]}" if near else f"use one of {', '.join(allowed)}"
        fix = in_its_case(name, [one for one in allowed if one not in self._places])
        lines.fault(UNKNOWN_ENTRY, told, *place, hint=hint, known=known, fix=fix)

    def _read_items(self) -> tuple[str, ...]:
        """Read the items of Messages, up to the next entry."""
        texts, items = self._lines.lines, list[str]()
        while self._at < len(texts):
            line = texts[self._at]
            stripped = line.strip(" \t")
            found = _ITEM.fullmatch(line)
            if found is not None:
                reader = DocumentReader(self._lines, self._at + 1, self._offset + len(line) + 1)
                value = found[1].strip(" \t")
                said = value if value.strip("`") == "" else reader.value(0, value, self._offset)
                items.append(said or "")
            elif stripped and stripped[0] != "#":
                break
            self._next(line)
        return tuple(items)

    def _read_document(self) -> Document:
        reader = DocumentReader(self._lines, self._at, self._offset, is_entry=True)
        document = reader.read()
        self._at, self._offset = reader.at, reader.offset
        tail = reader.comments.pop((-1, None), None)
        self.comments.update(reader.comments)
        if tail is not None and self._at < len(self._lines.lines):
            found = _ENTRY.fullmatch(self._lines.lines[self._at])
            self.comments[-1, found[1] if found else None] = tail
        elif tail is not None:
            self.comments[-1, None] = tail
        return document

    def _one_call(self, value: str, at: int) -> Document | None:
        """Return the document of `callMe {"Email-address": "a@b.c"}`."""
        found = _CALL.fullmatch(value)
        arguments: object = {}
        if found is not None and found[2]:
            try:
                arguments = json.loads(found[2])
            except (ValueError, RecursionError):
                found = None
        is_object = isinstance(arguments, dict) and all(
            0 < len(one) <= MOST_ID for one in arguments
        )
        if found is None or not isinstance(arguments, dict) or not is_object:
            told = f"`{shown(value)}` is no call of a function"
            hint = 'write Action: callMe {"Label": "value"}'
            self._lines.fault(UNEXPECTED_LINE, told, at, at + len(value), hint=hint)
            return None
        span = self._lines.span(at, at + len(value))
        return call_document(found[1].strip('"'), arguments, span)

    def _next(self, line: str) -> None:
        self._at += 1
        self._offset += len(line) + 1


def call_document(
    function: str, arguments: Mapping[str, object], span: Span | None = None
) -> Document:
    """Return the document that calls a function; a value that is no text becomes its JSON."""
    children = tuple(
        Node(Id(key), fields={VALUE: value if isinstance(value, str) else json.dumps(value)})
        for key, value in arguments.items()
    )
    id, fields = Id("new-1", is_temporary=True), {USE_FUNCTION: function}
    action = Node(id, "ACTION", ("created",), fields, children, span)
    return Document((Space(nodes=(action,)),))


def print_text(value: Document | Request | Response) -> str:
    r"""Return the one canonical text of a document, a request or a response.

    What it says is what the value says: parsed again it is equal. No stored text can become
    structure. Raises INVALID_ARGUMENT for what no text says, such as an unknown context.

    >>> print(print_text(Request("command", prompt="What do lions eat?")), end="")
    Context: command
    Prompt: "What do lions eat?"
    """
    return text_of(value)


def text_of(
    value: Document | Request | Response, comments: Mapping[Place, list[str]] | None = None
) -> str:
    """Return the canonical text of a value, with whole-line comments before what they tell of."""
    printer = Printer(comments or {})
    if isinstance(value, Document):
        for section in value.sections:
            printer.add_section(section)
    else:
        _add_message(printer, value)
    printer.add_comments((-1, None), 0)
    return "".join(printer.parts)


def _add_message(printer: Printer, value: Request | Response) -> None:
    if value.context not in CONTEXTS:
        told = f"there is no context {shown(value.context)!r}"
        raise refused(told, known=CONTEXTS)
    texts, documents, messages = _parts(value)
    add = printer.parts.append
    add(f"Context: {value.context}\n")
    for entry in ENTRIES:
        text, document = texts.get(entry), documents.get(entry)
        if text is not None:
            printer.add_comments((-1, entry), 0)
            said = (block_text(text, 0) or f" {quoted_text(text)}") if entry in _TEXTS else None
            add(f"{entry}:{value_text(text, 0) if said is None else said}\n")
        elif document is not None:
            printer.add_comments((-1, entry), 0)
            add(f"{entry}:\n")
            for section in document.sections:
                printer.add_section(section)
        elif entry == _MESSAGES and messages:
            printer.add_comments((-1, entry), 0)
            add(f"{entry}:\n")
            for item in messages:
                add(f"  - {quoted_text(item)}\n")


def _parts(
    value: Request | Response,
) -> tuple[dict[str, str | None], dict[str, Document | None], tuple[str, ...]]:
    """Return the texts, the documents and the messages of a message, by their entries."""
    match value:
        case Request():
            texts: dict[str, str | None] = {
                _PROMPT: value.prompt,
                _INSTRUCTIONS: value.instructions,
                _BRANCH: value.attention_branch,
                _NODE: value.attention_node,
            }
            return texts, {_DATA: value.data}, value.messages
        case Response():
            texts = {
                _STEP: value.workflow_step,
                _STATUS: value.workflow_status,
                _RESPONSE: value.response,
                _MESSAGE: value.message,
                _ERROR: value.error,
            }
            return texts, {_ACTION: value.action, _DATA: value.data}, ()


def is_message(text: str) -> bool:
    """Whether a text begins as a message does."""
    return text.lstrip("\ufeff \t\r\n")[:8] == "Context:"


def read_message(lines: Lines) -> tuple[Request | Response, dict[Place, list[str]]]:
    """Return the message that lines say, by whether they hold `Response:`, and its comments."""
    is_response = any(line.startswith((f"{_RESPONSE}:", f"{_STEP}:")) for line in lines.lines)
    read = partial(read_response, lines) if is_response else partial(read_request, lines)
    kind = RESPONSE_ENTRIES if is_response else REQUEST_ENTRIES
    value = read()
    entries = _Entries(
        Lines(lines.source, ignore_fault), kind, "response" if is_response else "request"
    )
    entries.read()
    return value, entries.comments

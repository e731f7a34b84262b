"""The command that runs a text: all of it or nothing, or with `--each` statement by statement."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from shlex import quote

from recollect.errors import INVALID_ARGUMENT, Notice, RecollectError
from recollect.faces.kip import execute_kip
from recollect.kernel import Nexus, Script, parse
from recollect.model import Value, silent
from recollect.servers.cli.given import is_comment, text_of
from recollect.servers.cli.naming import names_of
from recollect.servers.cli.opening import opened
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output, told
from recollect.servers.cli.render import counted
from recollect.servers.cli.response import Response, error_of
from recollect.servers.settings import Settings

Ask = Callable[..., Response]
"""`execute_kip` with all that is the same for every statement."""

_TEXT = re.compile(r"\s*(FIND|UPSERT|UPDATE|MERGE|DELETE|DESCRIBE|SEARCH|EXPORT|EXPLAIN)[\s({]")
"""How a KIP text begins."""

LARGE = 50_000
"""So many characters of one transaction are worth a sign that it goes on."""

SEVERAL = 3
"""So many results of one run are drawn; of more, only the count and the failures."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement of a text and where it begins."""

    text: str
    start: int


def run_file(
    on: Invocation, file: str, parameters: Mapping[str, Value], *, each: bool, dry_run: bool
) -> None:
    """Run the text of a file, creating the memory if it is not there."""
    settings = Settings()
    run = _run_each if each else _run_whole
    ask = partial(
        execute_kip,
        parameters=parameters,
        dry_run=dry_run,
        actor=settings.actor(on.actor),
        request_id=on.request_id,
    )
    with output(as_json=on.as_json, takes_parameters=True) as out:
        _refuse_text(file)
        text = text_of(file)
        if is_comment(text):
            _nothing_to_run(out, each=each)
            return
        script = parse(text)  # a text with a slip makes no memory
        with opened(on, create=True) as nexus:
            run(out, nexus, script, ask)


def _refuse_text(file: str) -> None:
    """Refuse a KIP text in the place of a file, unless a file has that name."""
    if _TEXT.match(file) is None or os.path.exists(file):
        return
    asked = f"recollect query {quote(file)}"
    piped = f"pipe it: printf %s {quote(file)} | recollect run -"
    hint = asked if _only_asks(file) else piped
    raise RecollectError(
        INVALID_ARGUMENT,
        "this is a KIP text, and run takes a file, or - for standard input",
        hint=hint if file.isprintable() else "pipe it into: recollect run -",
    )


def _only_asks(text: str) -> bool:
    """Whether a text changes nothing, so that `query` takes it."""
    try:
        return parse(text).is_read_only
    except RecollectError:
        return False


def _nothing_to_run(out: Output, *, each: bool) -> None:
    if out.as_json:
        out.json({"result": {"commands" if each else "statements": []}})
    out.say("nothing to run: the text holds only comments", "dim")


def _run_whole(out: Output, nexus: Nexus, script: Script, ask: Ask) -> None:
    text = script.source
    out.if_stopped = "nothing of the text is kept"
    with told(out) if len(text) >= LARGE else nullcontext(silent) as progress:
        response = ask(nexus, script, progress=progress)
    out.if_stopped = "the text has run; only its report is missing"
    out.response(response, text, {} if out.as_json else names_of(nexus, response))


def _run_each(out: Output, nexus: Nexus, script: Script, ask: Ask) -> None:
    text, pieces = script.source, list(pieces_of(script))
    responses: list[Response] = []
    with out.progress() as progress:
        task = progress.add_task("running", total=len(pieces))
        for piece in pieces:
            out.if_stopped = f"{len(responses):,} of {counted(len(pieces), 'statement')} ran"
            response = ask(nexus, piece.text)
            responses.append(placed(response, text, piece.start))
            progress.advance(task)
            if error_of(response) is not None:
                break
    warnings = _not_run(len(pieces) - len(responses))
    if out.as_json:
        out.response({"result": {"commands": responses}, **warnings})
        return
    for one in responses:
        if error_of(one) is not None or len(pieces) <= SEVERAL:
            out.response(one, text, names_of(nexus, one))
    done = sum(error_of(one) is None for one in responses)
    out.say(f"{done:,} of {counted(len(pieces), 'statement')} ran")


def _not_run(left: int) -> Mapping[str, object]:
    """Return the warnings of a response whose last command failed, `left` before the end."""
    if not left:
        return {}
    message = f"{counted(left, 'statement')} after the one that failed did not run"
    notice = Notice("not_run", message, hint="mend it and run the rest")
    return {"warnings": [notice.to_wire()]}


def pieces_of(script: Script) -> Iterator[Piece]:
    """Yield the statements of a text, each as a text of its own."""
    for statement in script.statements:
        span = statement.span
        yield Piece(script.source[span.start : span.end], span.start)


def placed(response: Response, text: str, start: int) -> Response:
    """Return the response to a piece of a text with its places counted in the whole text."""
    moved = dict(response)
    if (error := error_of(response)) is not None:
        moved["error"] = _moved(error, text, start)
    if isinstance(warnings := response.get("warnings"), list):
        moved["warnings"] = [_moved(one, text, start) for one in warnings]
    return moved


def _moved(trouble: Mapping[str, object], text: str, start: int) -> dict[str, object]:
    moved = dict(trouble)
    for name in ("span", "fix"):
        match trouble.get(name):
            case {"start": int(first), "end": int(last), **rest}:
                moved[name] = {"start": first + start, "end": last + start, **rest}
                if name == "span" and "line" in trouble:
                    before = text[: first + start]
                    moved["line"] = before.count("\n") + 1
                    moved["column"] = len(before) - before.rfind("\n")
    return moved

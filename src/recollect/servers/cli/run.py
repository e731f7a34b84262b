"""The command that runs a text: all of it or nothing, or with `--each` statement by statement."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from shlex import quote

from recollect.errors import Notice, RecollectError, refused
from recollect.faces.kip import answer_kip
from recollect.faces.kip.response import Response, failure, success
from recollect.kernel import Nexus, Script, parse
from recollect.model import Answer, Value, silent
from recollect.node import dataclass, replace
from recollect.servers.cli.answers import AskedText, show_answer
from recollect.servers.cli.cells import counted
from recollect.servers.cli.given import is_comment, text_of
from recollect.servers.cli.opening import opened
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output, progress_bars
from recollect.servers.settings import Settings

Ask = Callable[..., Answer]
"""`answer_kip` with all that is the same for every statement."""

_TEXT = re.compile(r"\s*(FIND|UPSERT|UPDATE|MERGE|DELETE|DESCRIBE|SEARCH|EXPORT|EXPLAIN)[\s({]")
"""How a KIP text begins."""

_FILE = re.compile(r"^\S*$|\.\w+$")
"""What else is the name of a file: one word, or what ends like one."""

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
        answer_kip,
        parameters=parameters,
        dry_run=dry_run,
        actor=settings.actor(on.actor),
        request_id=on.request_id,
    )
    with output(on, takes_parameters=True) as out:
        _refuse_text(file)
        text = text_of(file)
        if is_comment(text):
            _nothing_to_run(out, each=each)
            return
        script = parse(text)  # a text with a slip makes no memory
        out.if_stopped = "nothing of the text is kept"
        with opened(on, create=True, dry_run=dry_run) as nexus:
            run(out, nexus, script, ask)


def _refuse_text(file: str) -> None:
    """Refuse a KIP text in the place of a file, of KIP 2.0 too, unless a file has that name."""
    if os.path.exists(file):
        return
    if _TEXT.match(file) is None:
        if _FILE.search(file) is None:
            _refuse_newer(file)
        return
    asked = f"recollect query {quote(file)}"
    piped = f"pipe it: printf %s {quote(file)} | recollect run -"
    hint = asked if _only_asks(file) else piped
    raise refused(
        "this is a KIP text, and run takes a file, or - for standard input",
        hint if file.isprintable() else "pipe it into: recollect run -",
    )


def _refuse_newer(text: str) -> None:
    try:
        parse(text)
    except RecollectError as error:
        if "language" in error.details:
            raise


def _only_asks(text: str) -> bool:
    """Whether a text changes nothing, so that `query` takes it."""
    try:
        return parse(text).is_read_only
    except RecollectError:
        return False


def _nothing_to_run(out: Output, *, each: bool) -> None:
    out.give_json({"commands" if each else "statements": []})
    out.say("nothing to run: the text holds only comments", "dim")


def _run_whole(out: Output, nexus: Nexus, script: Script, ask: Ask) -> None:
    text = script.source
    with progress_bars(out) if len(text) >= LARGE else nullcontext(silent) as progress:
        answer = ask(nexus, script, progress=progress)
    out.if_stopped = "the text has run; only its report is missing"
    show_answer(out, nexus, answer, AskedText(text))


def _run_each(out: Output, nexus: Nexus, script: Script, ask: Ask) -> None:
    text, pieces = script.source, list(pieces_of(script))
    done: list[Answer] = []
    failed: RecollectError | None = None
    with out.progress() as progress:
        task = progress.add_task("running", total=len(pieces))
        for piece in pieces:
            out.if_stopped = f"{len(done):,} of {counted(len(pieces), 'statement')} ran"
            try:
                done.append(placed(ask(nexus, piece.text), piece.start))
            except RecollectError as error:
                failed = out.own_error(replace(error.after(text[: piece.start]), source=text))
                break
            progress.advance(task)
    out.failed = failed is not None
    if out.as_json:
        own = [replace(one, notices=tuple(map(out.own_notice, one.notices))) for one in done]
        responses: list[Response] = [success(one, "rows") for one in own]
        if failed is not None:
            responses.append(failure(failed))
            out.warn_of(_not_run(len(pieces) - len(responses)))
        out.json({"result": {"commands": responses}})
        return
    if len(pieces) <= SEVERAL:
        for one in done:
            show_answer(out, nexus, one, AskedText(text))
    if failed is not None:
        out.error(failed)
    out.say(f"{len(done):,} of {counted(len(pieces), 'statement')} ran")


def _not_run(left: int) -> list[Notice]:
    """Return what to know where a command failed, `left` before the end."""
    if not left:
        return []
    message = f"{counted(left, 'statement')} after the one that failed did not run"
    return [Notice("not_run", message, hint="mend it and run the rest")]


def pieces_of(script: Script) -> Iterator[Piece]:
    """Yield the statements of a text, each as a text of its own."""
    for statement in script.statements:
        span = statement.span
        yield Piece(script.source[span.start : span.end], span.start)


def placed(answer: Answer, start: int) -> Answer:
    """Return the answer to a piece of a text with its places counted in the whole text."""
    moved = [
        replace(
            one,
            span=one.span and one.span.moved(start),
            fix=one.fix and replace(one.fix, span=one.fix.span.moved(start)),
        )
        for one in answer.notices
    ]
    return replace(answer, notices=tuple(moved))

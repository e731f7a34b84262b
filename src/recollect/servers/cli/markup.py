"""What the commands of Knowing Markup do: one call of the face each, shown as text or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from rich import box
from rich.table import Table

from recollect.errors import UNKNOWN_ID, RecollectError, place, refused
from recollect.faces.markup import (
    Applied,
    Exchange,
    Markup,
    Run,
    check,
    format_text,
    parse,
    print_text,
    read_outline,
    syntax_card,
    write_outline,
)
from recollect.faces.markup.exchanges import Model
from recollect.faces.markup.wire import to_wire
from recollect.model import AsOf
from recollect.node import replace
from recollect.servers.cli.given import STANDARD_INPUT, text_of
from recollect.servers.cli.opening import opened, warn_of_absent_group
from recollect.servers.cli.options import Invocation, told
from recollect.servers.cli.output import Output, error_text, output
from recollect.servers.cli.safe_text import shown
from recollect.servers.cli.wanted import ApplyOptions, OutlineView, Prompted
from recollect.servers.functions import load_functions
from recollect.servers.learning import make_chat
from recollect.servers.settings import Settings

_WANTED: Final = "a text of Knowing Markup"
_SUFFIXES: Final = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".opml": "opml",
    ".org": "org",
    ".json": "json",
}


@contextmanager
def _on(
    on: Invocation, *, functions: str | None = None, writes: bool = False, dry_run: bool = False
) -> Iterator[tuple[Output, Markup]]:
    """Give a command its output and its memory, which is made only by one that writes."""
    with _with_text(on, None, functions=functions, writes=writes, dry_run=dry_run) as found:
        out, markup, _ = found
        yield out, markup


@contextmanager
def _with_text(
    on: Invocation,
    file: str | None,
    *,
    functions: str | None = None,
    writes: bool,
    dry_run: bool = False,
) -> Iterator[tuple[Output, Markup, str]]:
    """Give a command the text of its file, too, which is read before a memory is made."""
    with output(on) as out:
        text = "" if file is None else text_of(file, _WANTED)
        given, actor = load_functions(functions), Settings().actor(on.actor)
        with opened(on, create=writes, dry_run=dry_run) as nexus:
            if dry_run or not writes:
                warn_of_absent_group(out, nexus)
            yield out, Markup(nexus, functions=given, actor=actor), text


def check_documents(files: Sequence[str], *, as_json: bool) -> None:
    """Show what is wrong with texts; exit code 1 if anything is."""
    with output(as_json=as_json) as out:
        reports = [(file, check(text_of(file, _WANTED))) for file in files]
        out.failed = any(found for _, found in reports)
        if as_json:
            told_of = [
                {"file": file, "valid": not found, "diagnostics": [one.to_wire() for one in found]}
                for file, found in reports
            ]
            out.json({"result": {"files": told_of}})
            return
        for file, found in reports:
            for one in found:
                line, column = place(one.source, one.span)
                out.err.print(f"{file}:{line}:{column}", style="dim")
                out.err.print(error_text(str(one)), soft_wrap=True)
        count = sum(len(found) for _, found in reports)
        out.say(f"{count} {'fault' if count == 1 else 'faults'}", "" if count else "green")


def format_documents(files: Sequence[str], *, is_check: bool, as_json: bool) -> None:
    """Write texts in their canonical form."""
    with output(as_json=as_json) as out:
        done: list[dict[str, object]] = []
        for file in files:
            text = text_of(file, _WANTED)
            try:
                formatted = format_text(text)
            except RecollectError as error:
                raise replace(error, message=f"{file}: {error.message}") from error
            is_changed = formatted != text
            done.append({"file": file, "changed": is_changed, "text": formatted})
            if is_check:
                out.failed |= is_changed
                if is_changed:
                    out.say(f"{file} would change")
            elif file == STANDARD_INPUT:
                _print(out, formatted)
            elif is_changed:
                Path(file).write_text(formatted, encoding="utf-8", newline="\n")
                out.say(f"{file} is formatted")
        if as_json:
            out.json({"result": {"files": done}})


def load_document(
    on: Invocation,
    file: str,
    ids: Literal["keep", "fresh"],
    takes_extra_fields: bool,
    *,
    dry_run: bool,
) -> None:
    """Make everything that a document holds exist."""
    with _with_text(on, file, writes=True, dry_run=dry_run) as (out, markup, text):
        done = markup.load(text, ids=ids, extra_fields=takes_extra_fields, dry_run=dry_run)
        _tell_applied(out, done)


def apply_document(on: Invocation, file: str, changing: ApplyOptions) -> None:
    """Do what a document changes."""
    with _with_text(on, file, writes=True, dry_run=changing.dry_run) as (out, markup, text):
        _tell_applied(out, markup.apply(text, **told(changing)))


def import_outline(
    on: Invocation,
    file: str,
    format: str | None,
    ids: Literal["keep", "fresh"] | None,
    changing: ApplyOptions,
) -> None:
    """Take in an outline."""
    chosen = format or _SUFFIXES.get(Path(file).suffix.lower())
    with _with_text(on, file, writes=True, dry_run=changing.dry_run) as (out, markup, text):
        if chosen is None:
            raise refused(
                f"the name of {file} does not tell its format",
                "add --format markdown, opml, org or json",
            )
        read = read_outline(text, chosen)
        out.warn_of(read.notices)
        given = print_text(read.value)
        if ids is None:
            try:
                done = markup.apply(given, **told(changing))
            except RecollectError as error:
                if error.code is not UNKNOWN_ID:
                    raise
                raise replace(error, hint="add --ids keep, or --ids fresh", details={}) from error
        elif changing.target is None:
            done = markup.load(given, ids=ids, extra_fields=True, dry_run=changing.dry_run)
        else:
            raise refused(
                "--target is where new nodes go, and with --ids each has a place of its own",
                "leave --target or --ids out",
            )
        _tell_applied(out, done)


def show_outline(on: Invocation, view: OutlineView) -> None:
    """Show all spaces, one, or a branch."""
    with _on(on) as (out, markup):
        given = told(view)
        rendered = markup.render(as_of=_then(given.pop("transaction", None)), **given)
        if on.as_json:
            out.json({"result": to_wire(rendered)})
        elif rendered.text:
            _print(out, rendered.text)
        else:
            out.advise("there is no node yet; begin with: recollect markup apply FILE")


def list_spaces(on: Invocation, transaction: int | None) -> None:
    """List the spaces."""
    with _on(on) as (out, markup):
        found = markup.spaces(_then(transaction))
        table = Table("id", "kind", "label", box=box.SIMPLE_HEAD)
        for one in found:
            table.add_row(shown(one.id), one.kind, shown(one.label))
        _show_table(out, "spaces", found, table)


def export_outline(on: Invocation, root: str | None, format: str, transaction: int | None) -> None:
    """Write an outline to standard output."""
    with _on(on) as (out, markup):
        rendered = markup.render(root, as_of=_then(transaction))
        written = write_outline(parse(rendered.text), format)
        if out.give_json({"text": written.value, "notices": to_wire(written.notices)}):
            return
        out.warn_of(written.notices)
        _print(out, written.value)


def ask_model(
    on: Invocation,
    prompt: str,
    given: Prompted,
    attempts: int,
    *,
    functions: str | None,
    dry_run: bool,
) -> None:
    """Ask a model, and do what it answers."""
    with _on(on, functions=functions, writes=True, dry_run=dry_run) as (out, markup):
        done = markup.exchanges.ask(
            prompt, _model(), attempts=attempts, follow_up=True, dry_run=dry_run, **told(given)
        )
        if out.give_json(to_wire(done)):
            return
        _tell_exchange(out, done)


def _tell_exchange(out: Output, done: Exchange) -> None:
    for line in filter(None, (done.message, done.error)):
        out.say(line)
    for call in done.calls:
        out.say(call.told)
    if done.applied is not None:
        _tell_applied(out, done.applied)
    elif not done.message and not done.error:
        out.say(done.outcome)


def start_workflow(on: Invocation, workflow: str) -> None:
    """Start a workflow."""
    with _on(on, writes=True) as (out, markup):
        _tell_run(out, markup.runner.start(workflow))


def answer_step(on: Invocation, run: str, file: str, functions: str | None) -> None:
    """Take a text as the answer of a step."""
    with _with_text(on, file, functions=functions, writes=True) as (out, markup, text):
        _tell_run(out, markup.runner.reply(run, text))


def use_run(
    on: Invocation,
    run: str,
    step: Literal["show", "drive", "resume", "skip", "cancel"],
    functions: str | None,
) -> None:
    """Show a run, or move it."""
    with _on(on, functions=functions, writes=step != "show") as (out, markup):
        runner = markup.runner
        moves = {"resume": runner.resume, "skip": runner.skip, "cancel": runner.cancel}
        done = runner.drive(run, _model()) if step == "drive" else moves.get(step, runner.get)(run)
        _tell_run(out, done)


def list_runs(on: Invocation) -> None:
    """List the runs."""
    with _on(on) as (out, markup):
        found = markup.runner.list()
        table = Table("id", "workflow", "state", "step", box=box.SIMPLE_HEAD)
        for one in found:
            table.add_row(one.id, shown(one.workflow), one.state, f"{one.step}/{len(one.steps)}")
        _show_table(out, "runs", found, table)


def _show_table(out: Output, name: str, found: object, table: Table) -> None:
    out.give_json({name: to_wire(found)})
    out.show(table)


def print_card(*, as_json: bool) -> None:
    """Print the syntax card."""
    with output(as_json=as_json) as out:
        if as_json:
            out.json({"result": {"text": syntax_card()}})
        else:
            _print(out, syntax_card())


def _tell_applied(out: Output, applied: Applied) -> None:
    if out.give_json(to_wire(applied)):
        return
    out.warn_of(applied.notices)
    for one in applied.changes:
        out.say(str(one))
    if not applied.changes:
        out.say("nothing changes" if applied.is_dry_run else "nothing changed", "dim")
    elif applied.is_dry_run:
        out.say("nothing was kept", "dim")
    else:
        out.say(f"transaction {applied.transaction}", "dim")


def _tell_run(out: Output, run: Run) -> None:
    if out.give_json(to_wire(run)):
        return
    out.say(f"run {run.id}: {run.state}, step {run.step} of {len(run.steps)}", "bold")
    if run.reason:
        out.say(run.reason, "yellow")
    if run.request:
        _print(out, run.request)


def _print(out: Output, text: str) -> None:
    for line in text.removesuffix("\n").split("\n"):
        out.say(line)


def _then(transaction: int | None) -> AsOf | None:
    return None if transaction is None else AsOf(transaction=transaction)


def _model() -> Model:
    """Return the model of RECOLLECT_LLM_*."""
    return make_chat(Settings().learning())

"""Build the demo's memory, question it, teach it and correct it, in the open."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from shlex import quote

from rich.syntax import Syntax

from recollect.errors import INVALID_ARGUMENT, RecollectError, install
from recollect.faces.kip import answer_kip
from recollect.faces.kip.as_of import read_as_of
from recollect.faces.kip.response import success
from recollect.faces.memory import Memory
from recollect.kernel import Nexus
from recollect.servers.cli.answers import AskedText, show_answer
from recollect.servers.cli.demo import capsules, questions
from recollect.servers.cli.demo.capsules import DemoEntry
from recollect.servers.cli.demo.questions import DemoQuestion
from recollect.servers.cli.demo.remembering import DemoCall, calls
from recollect.servers.cli.lexer import KipLexer
from recollect.servers.cli.manage import counts_of
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.safe_text import shown
from recollect.servers.settings import Located, Settings
from recollect.servers.wiring import make_folder, open_nexus

BATCH = 500
"""So many concepts are written by one capsule."""


class Demonstration:
    """One memory, one audience, and a record of what was asked and answered."""

    def __init__(self, nexus: Nexus, out: Output) -> None:
        self.nexus = nexus
        self.out = out
        self.steps: list[dict[str, object]] = []

    def load(self, entries: list[DemoEntry]) -> None:
        """Write the entries, one capsule for each batch of one source."""
        started = time.perf_counter()
        with self.out.progress() as progress:
            task = progress.add_task("learning", total=len(entries))
            for source, batch in _batches(entries):
                progress.update(task, description=f"learning {source}")
                answer_kip(self.nexus, capsules.capsule(batch, source))
                progress.advance(task, len(batch))
        seconds = time.perf_counter() - started
        links = sum(len(entry.links) for entry in entries)
        self.out.say(
            f"Learnt {len(entries):,} concepts and {links:,} links of the ISO tables "
            f"in {seconds:.1f} s.",
            "green",
        )

    def step(self, question: DemoQuestion, as_of: Mapping[str, object] | None = None) -> None:
        """Show one text, run it, and show what it gives."""
        self.out.say(f"\n{len(self.steps) + 1}. {question.title}\n", "bold underline")
        syntax = Syntax(question.text, KipLexer(), theme="ansi_dark", background_color="default")
        text = syntax.highlight(question.text)
        text.rstrip()
        self.out.show_text(text)
        answer = answer_kip(self.nexus, question.text, as_of=as_of)
        told = {"title": question.title, "command": question.text}
        self.steps.append({**told, "response": success(answer, "rows")})
        if not self.out.as_json:
            self.out.say("")
            show_answer(self.out, self.nexus, answer, AskedText(question.text, read_as_of(as_of)))

    def call(self, made: DemoCall) -> None:
        """Show one call of the memory, and what it answers."""
        self.out.say(f"\n{len(self.steps) + 1}. {made.title}\n", "bold underline")
        self.steps.append(
            {
                "title": made.title,
                "command": made.command,
                "response": {"result": dict(made.answer)},
            }
        )
        self.out.say(made.command)
        self.out.say("")
        for line in made.lines:
            self.out.show_text(shown(line, "green"))


def demonstrate(database: Path | None, *, as_json: bool) -> None:
    """Run the demo on a new file; a file that is there already is left alone."""
    with output(as_json=as_json) as out:
        entries = list(_tables()())
        settings = Settings()
        path = _new_file(database, settings)
        located = Located(str(path), "made for the demo")
        started = time.perf_counter()
        with closing(open_nexus(located, "default", create=True)) as nexus:
            demonstration = Demonstration(nexus, out)
            demonstration.load(entries)
            _tell(demonstration)
            counts = counts_of(nexus)
        seconds = round(time.perf_counter() - started, 1)
        if as_json:
            steps = demonstration.steps
            out.json(
                {"result": {"path": str(path), "seconds": seconds, "stats": counts, "steps": steps}}
            )
            return
        out.say(f"\nAll of it took {seconds} s. The memory is kept in {path}", "green")
        program, memory = quote(settings.program()), quote(str(path))
        out.say(f"try: {program} studio {memory}, or {program} shell {memory}", "bold")


def _tell(demonstration: Demonstration) -> None:
    """Ask, learn, correct: the steps of the demo in order."""
    for question in questions.OF_THE_WORLD:
        demonstration.step(question)
    for lesson in questions.LESSONS:
        demonstration.step(lesson)
    for question in questions.OF_THE_LESSONS:
        demonstration.step(question)
    demonstration.step(questions.BEFORE)
    before = demonstration.nexus.stats().transactions
    demonstration.step(questions.CORRECTION)
    demonstration.step(questions.AFTER)
    demonstration.step(questions.AS_IT_WAS, as_of={"known": before})
    for made in calls(Memory(demonstration.nexus, actor="demo")):
        demonstration.call(made)
    demonstration.step(questions.PRIMER)


def _tables() -> Callable[[], Iterator[DemoEntry]]:
    """Return what reads the tables, if the extra that carries them is installed."""
    try:
        from recollect.servers.cli.demo.tables import entries
    except ModuleNotFoundError as missing:
        raise RecollectError(
            INVALID_ARGUMENT, f"the demo needs the package {missing.name}", hint=install("demo")
        ) from missing
    return entries


def _new_file(database: Path | None, settings: Settings) -> Path:
    """Return a file that is not there: the one named, or the demo's own after its last run."""
    if database is None:
        path = settings.demo()
        make_folder(path.parent)
        for ending in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        return path
    if database.exists():
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{database} is there already, and the demo makes a new memory",
            hint=f"recollect shell {quote(str(database))}, or name a new file",
        )
    return database


def _batches(entries: Iterable[DemoEntry]) -> Iterator[tuple[str, list[DemoEntry]]]:
    """Yield runs of entries of one source, at most BATCH long, with the source."""
    run: list[DemoEntry] = []
    for entry in entries:
        if run and (len(run) == BATCH or run[0].source != entry.source):
            yield run[0].source, run
            run = []
        run.append(entry)
    if run:
        yield run[0].source, run

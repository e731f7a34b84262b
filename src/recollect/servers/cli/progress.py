"""How far long work is, told on standard error; nothing is drawn without a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.markup import escape
from rich.progress import TaskID

from recollect.model import Progress
from recollect.servers.cli.output import Output
from recollect.servers.cli.safe_text import plain


@contextmanager
def told(out: Output, unit: str = "") -> Iterator[Progress]:
    """Give the function that long work reports its progress to: a bar for each of its steps.

    `unit` is what is counted, if the name of the step does not say it.
    """
    what = f", in {unit}" if unit else ""
    bars: dict[str, TaskID] = {}
    with out.progress() as progress:

        def tell(step: str, done: int, total: int) -> None:
            if step not in bars:
                bars[step] = progress.add_task(escape(plain(step)) + what, total=total or None)
            progress.update(bars[step], completed=done, total=total or None)

        yield tell

"""Knowing Markup as calls, for servers: what each takes and answers as JSON.

The rule: an output has the members of the value that the face returns. Models and functions stay
in the process that has them: what asks a model has no call.

Knowing Markup on one group of a memory: documents, exchanges and workflows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Unpack

from recollect.faces.calls import by_name, call
from recollect.faces.markup.answers import Applied
from recollect.faces.markup.checking import check
from recollect.faces.markup.decision import Asked
from recollect.faces.markup.documents import Documents
from recollect.faces.markup.exchange import Exchange
from recollect.faces.markup.exchanges import Beginning, Exchanges
from recollect.faces.markup.functions import Functions
from recollect.faces.markup.model import Document, Space
from recollect.faces.markup.runner import Run, Runner
from recollect.faces.markup.wire import to_wire
from recollect.kernel import Nexus
from recollect.model import AsOf

Output = dict[str, Any]
_LION: Final = "- ID: new-1 [created]\n  Label: Lion\n"
_ID: Final = {"id": "0b6f6b3a-6c0f-4f8e-9d55-0a4f0c1d2e3f"}


class TextBeginning(Beginning, total=False):
    """What a request has besides the prompt, where a document is its text."""

    data: str | None  # type: ignore[misc]


def _call(method: Callable[..., Any]) -> Callable[..., Output]:
    """Return a method of Knowing Markup as a call."""
    return by_name(method, lambda calls: calls._markup, to_wire)


class MarkupCalls:
    """The calls of Knowing Markup on one group."""

    def __init__(self, markup: Markup) -> None:
        self._markup = markup

    @call("GET", "document", example={"root": "zoo", "budget": 1000})
    def document(
        self,
        *,
        root: str | None = None,
        attention: str | None = None,
        budget: int | None = None,
        depth: int | None = None,
        transaction: int | None = None,
        show_deleted: bool = False,
    ) -> Output:
        """Show all spaces, a space, or the branch below a node as text."""
        rendered = self._markup.render(
            root,
            attention=attention,
            budget=budget,
            depth=depth,
            as_of=_then(transaction),
            show_deleted=show_deleted,
        )
        return _wire(rendered)

    @call("GET", "spaces")
    def spaces(self, *, transaction: int | None = None) -> Output:
        """List the spaces, the oldest first."""
        return {"spaces": to_wire(self._markup.spaces(_then(transaction)))}

    @call("GET", "places", example={"id": "12"})
    def places(self, *, id: str, transaction: int | None = None) -> Output:
        """Tell where a node stands."""
        return {"places": to_wire(self._markup.places(id, _then(transaction)))}

    @call("POST", "check", example={"text": _LION})
    def check(self, *, text: str) -> Output:
        """Tell everything that is wrong with a document or a message."""
        return {"diagnostics": [one.to_wire() for one in check(text)]}

    apply = call("POST", "apply", "writes", example={"text": _LION, "dry_run": True})(
        _call(Documents.apply)
    )

    load = call("POST", "load", "writes", example={"text": "- ID: lion\n  Label: Lion\n"})(
        _call(Documents.load)
    )

    @call("POST", "read-only", "writes", example={"id": "12"})
    def read_only(self, *, id: str, value: bool = True) -> Output:
        """Protect a node or a space from changes, or no longer."""
        return {"transaction": self._markup.set_read_only(id, value)}

    restore = call("POST", "restore", "writes", example={"id": "12", "transaction": 3})(
        _call(Documents.restore)
    )

    purge = call("POST", "purge", "destroys", example={"id": "12"})(_call(Documents.purge))

    @call("POST", "exchanges", "writes", example={"prompt": "What do lions eat?", "root": "12"})
    def begin(self, *, prompt: str, **given: Unpack[TextBeginning]) -> Output:
        """Keep a request to a model, to be answered."""
        return _exchange(self._markup.exchanges.begin(prompt, **given))

    @call("GET", "exchanges")
    def exchanges(self) -> Output:
        """List the exchanges, the oldest first."""
        return {"exchanges": [_exchange(one) for one in self._markup.exchanges.list()]}

    @call("GET", "exchanges/{id}", example=_ID)
    def exchange(self, *, id: str) -> Output:
        """Show an exchange and what came of it."""
        return _exchange(self._markup.exchanges.get(id))

    @call(
        "POST",
        "exchanges/{id}/answer",
        "writes",
        example={**_ID, "text": "Context: command\nResponse: no-data-available\n"},
    )
    def answer(self, *, id: str, text: str, complete: bool = True, dry_run: bool = False) -> Output:
        """Take a text as the answer of an exchange, and do what it says."""
        done = self._markup.exchanges.answer(id, text, complete=complete, dry_run=dry_run)
        return _exchange(done)

    @call("POST", "runs", "writes", example={"workflow": "52"})
    def start(self, *, workflow: str) -> Output:
        """Start a workflow."""
        return _run(self._markup.runner.start(workflow))

    @call("GET", "runs")
    def runs(self) -> Output:
        """List the runs of workflows, the oldest first."""
        return {"runs": [_run(one) for one in self._markup.runner.list()]}

    @call("GET", "runs/{id}", example=_ID)
    def run(self, *, id: str) -> Output:
        """Show a run of a workflow."""
        return _run(self._markup.runner.get(id))

    @call(
        "POST",
        "runs/{id}/reply",
        "writes",
        example={**_ID, "text": "Context: workflow\nWorkflow step: 1\nResponse: data\n"},
    )
    def reply(self, *, id: str, text: str, complete: bool = True) -> Output:
        """Take a text as the answer of the step a run waits at."""
        return _run(self._markup.runner.reply(id, text, complete=complete))

    @call("POST", "runs/{id}/resume", "writes", example=_ID)
    def resume(self, *, id: str) -> Output:
        """Let a paused run wait at its step again."""
        return _run(self._markup.runner.resume(id))

    @call("POST", "runs/{id}/skip", "writes", example=_ID)
    def skip(self, *, id: str) -> Output:
        """Leave the step of a run out."""
        return _run(self._markup.runner.skip(id))

    @call("POST", "runs/{id}/cancel", "writes", example=_ID)
    def cancel(self, *, id: str) -> Output:
        """End a run."""
        return _run(self._markup.runner.cancel(id))


def _then(transaction: int | None) -> AsOf | None:
    return None if transaction is None else AsOf(transaction=transaction)


def _wire(value: object) -> Output:
    wire: Output = to_wire(value)
    return wire


def _exchange(exchange: Exchange) -> Output:
    return {"exchange_id": exchange.id, **_wire(exchange)}


def _run(run: Run) -> Output:
    return {"run_id": run.id, **_wire(run)}


class Markup(Documents):
    r"""The spaces and nodes of a group, written and read as Knowing Markup.

    `functions` are what models may call; `actor` stands in the log of what is written.

    >>> import recollect
    >>> with recollect.open(":memory:") as nexus:
    ...     markup = Markup(nexus)
    ...     done = markup.apply("- ID: new-1 [created]\n  Label: Lion")
    ...     print(done.ids, *done.changes, sep="\n")
    ...     print(markup.render("main").text)
    {'new-1': '1'}
    created main "Main"
    created 1 "Lion" in main
    ---
    - CONCEPTUAL SPACE
      ID: main
      Label: Main
      - ID: 1
        Label: Lion
    <BLANKLINE>
    """

    def __init__(
        self, nexus: Nexus, *, functions: Functions | None = None, actor: str | None = None
    ) -> None:
        super().__init__(nexus, actor=actor)
        self.functions = Functions() if functions is None else functions
        self.exchanges = Exchanges(self, self.functions)
        self.runner = Runner(self, self.functions, self.exchanges)

    def publish(self, id: str) -> Applied:
        """Write the FUNCTION node of a registered function, with its arguments.

        It goes to the space `main`; publishing it again writes nothing. INVALID_ARGUMENT for an
        id that nothing is registered for.
        """
        document = Document((Space(nodes=(self.functions.node(id),)),))
        return self.write(document, Asked(is_snapshot=True))

"""Knowing Markup on one group of a memory: documents, exchanges and workflows."""

from __future__ import annotations

from recollect.faces.markup.answers import Applied
from recollect.faces.markup.decision import Asked
from recollect.faces.markup.documents import Documents
from recollect.faces.markup.exchanges import Exchanges
from recollect.faces.markup.functions import Functions
from recollect.faces.markup.model import Document, Space
from recollect.faces.markup.runner import Runner
from recollect.kernel import Nexus


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

"""The command that serves an editor."""

from __future__ import annotations

from recollect.servers.cli.needed import require
from recollect.servers.cli.output import output
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus


def serve(database: str | None, group: str | None) -> None:
    """Serve one editor over standard input and output.

    Types, predicates and attributes are proposed from a memory only where one is named.
    """
    with output(as_json=False) as out:
        require("pygls", "lsp", "the language server")
        from recollect.servers.lsp.server import serve as serve_editor
        from recollect.servers.lsp.vocabulary import Vocabulary

        out.if_stopped = "the editor has no language server any more"
        if database is None:
            serve_editor(Vocabulary())
            return
        settings = Settings()
        with open_nexus(settings.database(database), settings.group(group)) as nexus:
            serve_editor(Vocabulary(nexus))

"""The traffic of the language server: what an editor asks, and who answers it."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from recollect.servers.lsp import answers
from recollect.servers.lsp.answers import Vocabulary, completions
from recollect.servers.settings import own_version

NAME = "recollect"
TRIGGERS = ["?", "@", "$", '"', ".", " "]


def serve(vocabulary: Vocabulary) -> None:
    """Serve one editor over standard input and output, until it says that it leaves."""
    build_server(vocabulary).start_io()


def build_server(vocabulary: Vocabulary) -> LanguageServer:
    """Return a server that proposes the names of a vocabulary.

    Texts are sent whole at each change: they are short, and lines then end only where an
    editor ends them.
    """
    server = LanguageServer(
        NAME, own_version(), text_document_sync_kind=types.TextDocumentSyncKind.Full
    )
    _tell(server)
    _answer(server, vocabulary)
    return server


def _tell(server: LanguageServer) -> None:
    """Publish diagnostics whenever a text is opened or changed, and none once it is closed."""

    def examine(uri: str) -> None:
        document = server.workspace.get_text_document(uri)
        found = answers.diagnostics(uri, document.source)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, version=document.version)
        )

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(asked: types.DidOpenTextDocumentParams) -> None:
        examine(asked.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(asked: types.DidChangeTextDocumentParams) -> None:
        examine(asked.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(asked: types.DidCloseTextDocumentParams) -> None:
        nothing = types.PublishDiagnosticsParams(asked.text_document.uri, [])
        server.text_document_publish_diagnostics(nothing)


def _answer(server: LanguageServer, vocabulary: Vocabulary) -> None:
    """Answer what an editor asks about a text it has opened."""

    def text_of(document: types.TextDocumentIdentifier) -> str:
        opened = server.workspace.text_documents.get(document.uri)  # no file is ever read
        return "" if opened is None else opened.source

    options = types.CompletionOptions(trigger_characters=TRIGGERS)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    def complete(asked: types.CompletionParams) -> list[types.CompletionItem]:
        return completions(text_of(asked.text_document), asked.position, vocabulary)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def explain(asked: types.HoverParams) -> types.Hover | None:
        return answers.hover(text_of(asked.text_document), asked.position)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def lay_out(asked: types.DocumentFormattingParams) -> list[types.TextEdit]:
        return answers.layout(text_of(asked.text_document))

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def mend(asked: types.CodeActionParams) -> list[types.CodeAction]:
        text = text_of(asked.text_document)
        return answers.quick_fixes(asked.text_document.uri, text, asked.range)

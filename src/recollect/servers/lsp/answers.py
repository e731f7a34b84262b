"""What the language server answers about one text: diagnostics, quick fixes, hover, layout.

The rule: nothing here knows the protocol's traffic or keeps anything.
"""

from __future__ import annotations

import re

from lsprotocol import types

from recollect.errors import RecollectError, Span
from recollect.kernel import Diagnostic, Severity, check, format_text, meaning_of
from recollect.servers.lsp.positions import Positions

SOURCE = "recollect"
_WORD = re.compile(r"[A-Z_]+")
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}


def diagnostics(uri: str, text: str) -> list[types.Diagnostic]:
    """Return what is wrong with a text and doubtful in it; an empty text is neither."""
    if not text.strip():
        return []
    positions = Positions(text)
    return [_diagnostic(uri, one, positions) for one in check(text)]


def quick_fixes(uri: str, text: str, where: types.Range) -> list[types.CodeAction]:
    """Return the edits that mend what is wrong in a range."""
    positions = Positions(text)
    start, end = positions.offset(where.start), positions.offset(where.end)
    actions = []
    for one in check(text):
        if one.fix is None or one.span.end < start or one.span.start > end:
            continue
        edit = types.TextEdit(positions.range(one.fix.span), one.fix.text)
        actions.append(
            types.CodeAction(
                one.hint or "mend it",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[_diagnostic(uri, one, positions)],
                edit=types.WorkspaceEdit(changes={uri: [edit]}),
                is_preferred=True,
            )
        )
    return actions


def hover(text: str, position: types.Position) -> types.Hover | None:
    """Return what the keyword at a place means; None if there is no keyword."""
    positions = Positions(text)
    offset = positions.offset(position)
    words = list(_WORD.finditer(text))
    for at, word in enumerate(words):
        if word.start() <= offset <= word.end():
            before = words[at - 1].group() if at else ""
            meaning = meaning_of(word.group(), before)
            if meaning is None:
                return None
            shown = f"```kip\n{meaning.form}\n```\n{meaning.text}"
            return types.Hover(
                types.MarkupContent(types.MarkupKind.Markdown, shown),
                positions.range(Span(word.start(), word.end())),
            )
    return None


def layout(text: str) -> list[types.TextEdit]:
    """Return the edit that lays a text out; none for one that is laid out, or does not parse."""
    try:
        better = format_text(text)
    except RecollectError:
        return []
    if better == text:
        return []
    return [types.TextEdit(Positions(text).range(Span(0, len(text))), better)]


def _diagnostic(uri: str, one: Diagnostic, positions: Positions) -> types.Diagnostic:
    related = None
    if one.first is not None:
        earlier = types.Location(uri, positions.range(one.first))
        related = [types.DiagnosticRelatedInformation(earlier, "before")]
    message = f"{one.message}\n{one.hint}" if one.hint else one.message
    return types.Diagnostic(
        positions.range(one.span),
        message,
        severity=_SEVERITIES[one.severity],
        code=one.code,
        source=SOURCE,
        related_information=related,
    )

"""A text that is mended as it is read, and that knows where all of it stood before."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from recollect.errors import Fix, Notice, RecollectError, Span


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edit in the coordinates of the draft after it."""

    start: int
    end: int  # of the new text
    removed: int  # characters


@dataclass(slots=True)
class Draft:
    """A part of a text that begins at `start`, with what is wrong in it mended or blanked."""

    text: str
    start: int = 0
    source: str = ""  # the whole text
    _edits: list[_Edit] = field(default_factory=list)

    def mend(self, fix: Fix) -> None:
        """Make an edit."""
        start, end = fix.span.start, fix.span.end
        self.text = fix.apply(self.text)
        self._edits.append(_Edit(start, start + len(fix.text), end - start))

    def blank(self, span: Span) -> str:
        """Put white space in the place of a part, and return what stood there."""
        gone = self.text[span.start : span.end]
        white = "".join("\n" if one == "\n" else " " for one in gone)
        self.text = self.text[: span.start] + white + self.text[span.end :]
        return gone

    def place(self, span: Span) -> Span:
        """Return where a part of the draft stood in the whole text."""
        start, end = span.start, span.end
        for edit in reversed(self._edits):
            start, end = _before(edit, start, is_end=False), _before(edit, end, is_end=True)
        return Span(start + self.start, max(start, end) + self.start)

    def placed(self, error: RecollectError) -> RecollectError:
        """Return an error about the draft as one about the whole text."""
        fix = error.fix
        return replace(
            error,
            source=self.source,
            span=Span(self.start, self.start) if error.span is None else self.place(error.span),
            first=None if error.first is None else self.place(error.first),
            fix=None if fix is None else Fix(self.place(fix.span), fix.text),
        )

    def noticed(self, notice: Notice) -> Notice:
        """Return a warning about the draft as one about the whole text."""
        fix = notice.fix
        return replace(
            notice,
            span=None if notice.span is None else self.place(notice.span),
            fix=None if fix is None else Fix(self.place(fix.span), fix.text),
        )


def _before(edit: _Edit, place: int, *, is_end: bool) -> int:
    """Return where a place was before an edit; what the edit put there stands for what went."""
    if place > edit.end or (place == edit.end and not is_end):
        return place - (edit.end - edit.start) + edit.removed
    if place <= edit.start:
        return place
    return edit.start + (edit.removed if is_end else 0)

"""A text in its canonical layout, with its comments.

Its rule: the tree stays the same, and so does every comment, in the same order: one behind code
stays behind that code, one on a line of its own stays before what followed it. KIP 1.0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from recollect.kernel.lang.parser import parse
from recollect.kernel.lang.printer import INDENT, LayoutLine, Places, lines
from recollect.kernel.lang.tokens import Comment, lex


def format_text(text: str) -> str:
    r"""Return a text as `print_text` lays it out, its comments and single blank lines kept.

    Formatting what it returns changes nothing. Raises what `parse` raises.

    >>> print(format_text('FIND(?d)WHERE{?d{type:"Drug"} // all of them\n}'), end="")
    FIND(?d)
    WHERE {
      ?d {type: "Drug"} // all of them
    }
    """
    while (formatted := _formatted(text)) != text:
        text = formatted  # a comment that moved with its part may ask for another layout
    return formatted


def _formatted(text: str) -> str:
    tokens = lex(text)
    places = Places(tokens)
    written: list[LayoutLine] = []
    beginnings: set[int] = set()  # the first lines of statements
    for statement in parse(text).statements:
        beginnings.add(len(written))
        written += lines(statement, places)
    behind, before = _placed(text, tokens.comments, written)
    result: list[str] = []
    for at, line in enumerate([*written, None]):
        stays_close = at == 0 or (line is not None and line.depth > written[at - 1].depth)
        stands_apart = at in beginnings
        for comment in before.get(at, ()):
            if not stays_close and (stands_apart or _is_apart(text, comment.span.start)):
                result.append("")
            result.append(_indent(written, at) + comment.text)
            stays_close = stands_apart = False
        if line is None:
            break
        is_apart = stands_apart or (not line.closes and _is_apart(text, line.start))
        if is_apart and not stays_close:
            result.append("")
        result.append(f"{line} {behind[at].text}" if at in behind else str(line))
    return "\n".join(result) + "\n"


def _placed(
    text: str, comments: Iterable[Comment], written: Sequence[LayoutLine]
) -> tuple[dict[int, Comment], dict[int, list[Comment]]]:
    """Return what stands behind each line, and what stands before each.

    The order stays: a comment that would come before an earlier one stands before a line.
    """
    starts = list(accumulate((line.start for line in written), max))
    behind: dict[int, Comment] = {}
    before: dict[int, list[Comment]] = {}
    least = 0  # the first line before which the next comment may stand
    for comment in comments:
        following = bisect_left(starts, comment.span.start)
        if following > least and not _begins_line(text, comment.span.start):
            behind[following - 1] = comment
            least = following
        else:
            least = max(following, least)
            before.setdefault(least, []).append(comment)
    return behind, before


def _indent(written: Sequence[LayoutLine], at: int) -> str:
    """Return the indent of a comment before a line, or after the last."""
    if at == len(written):
        return ""
    return INDENT * (written[at].depth + written[at].closes)


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _is_apart(text: str, at: int) -> bool:
    """Whether a blank line stands before a place."""
    newlines = 0
    while at > 0 and text[at - 1].isspace():
        at -= 1
        newlines += text[at] == "\n"
    return newlines > 1

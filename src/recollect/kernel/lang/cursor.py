"""A place in a list of tokens, and the few moves every parser makes.

Its rule: a cursor only goes forward. Parsers read `cursor.token`, and raise what
`cursor.unexpected` and `cursor.error` return.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import (
    INVALID_SYNTAX,
    RESOURCE_EXHAUSTED,
    Code,
    Fix,
    Notice,
    RecollectError,
    Span,
)
from recollect.kernel.lang.repair import diagnose
from recollect.kernel.lang.tokens import END, Tokens

MAX_DEPTH = 64  # values, patterns, blocks, parentheses in one another; alike in what is stored


def unhurried() -> None:
    """Let work go on: nobody waits for it."""


class Cursor:
    """Walks over the tokens of one text."""

    __slots__ = (
        "_depth",
        "_max_depth",
        "_starts",
        "_texts",
        "at",
        "expected",
        "is_settled",
        "notices",
        "parameters",
        "pulse",
        "source",
        "statement",
        "token",
        "tokens",
    )

    def __init__(
        self, tokens: Tokens, *, max_depth: int = MAX_DEPTH, pulse: Callable[[], None] = unhurried
    ) -> None:
        self.tokens = tokens
        self._texts, self._starts = tokens.texts, tokens.starts
        self.source = tokens.source
        self.at = 0
        self.token = tokens.texts[0]
        self.statement = 0  # the token that the current statement begins with
        self.expected: tuple[str, ...] = ()  # what could have stood where the text fails
        self.is_settled = False  # what is said of the text is all that helps
        self.parameters = 0  # placeholders met so far
        self.pulse = pulse  # called between the parts of a text; raises where it takes too long
        self.notices: dict[str, Notice] = {}  # by what they are about, so each is said once
        self._depth = 0
        self._max_depth = max_depth

    @property
    def at_end(self) -> bool:
        """Whether every token is consumed."""
        return self.token is END

    def advance(self) -> None:
        """Go over the current token, which is not END."""
        self.at += 1
        self.token = self._texts[self.at]

    def jump(self, tokens: int) -> None:
        """Go over so many tokens, none of which is END."""
        self.at += tokens
        self.token = self._texts[self.at]

    def jump_level(self, tokens: int) -> None:
        """Go over so many tokens, one level deeper and back; KIP_4002 when that is too deep."""
        if self._depth >= self._max_depth:
            raise self._too_deep()
        self.at += tokens
        self.token = self._texts[self.at]

    def step(self) -> Span:
        """Go over the current token, which is not END, and return its place."""
        start = self._starts[self.at]
        place = Span(start, start + len(self.token))
        self.at += 1
        self.token = self._texts[self.at]
        return place

    def next_token(self) -> str:
        """Return the token after the current one, which is not END."""
        return self._texts[self.at + 1]

    def take(self, token: str) -> bool:
        """Go over the current token if it is this one; say whether it was."""
        if self.token != token:
            return False
        self.at += 1
        self.token = self._texts[self.at]
        return True

    def expect(self, token: str) -> None:
        """Go over the current token, which has to be this one."""
        if self.token != token:
            raise self.unexpected(token)
        self.at += 1
        self.token = self._texts[self.at]

    def open(self, bracket: str) -> None:
        """Go over an opening bracket, one level deeper; KIP_4002 when that is too deep."""
        if self.token != bracket:
            raise self.unexpected(bracket)
        self._depth += 1
        if self._depth > self._max_depth:
            raise self._too_deep()
        self.at += 1
        self.token = self._texts[self.at]

    def close(self, bracket: str, *others: str) -> None:
        """Go over a closing bracket; `others` are what could have stood there besides."""
        if self.token != bracket:
            raise self.unexpected(*others, bracket)
        self._depth -= 1
        self.at += 1
        self.token = self._texts[self.at]

    def descend(self) -> None:
        """Count one level of nesting that begins at the current token."""
        self._depth += 1
        if self._depth > self._max_depth:
            raise self._too_deep()

    def _too_deep(self) -> RecollectError:
        return self.error(
            f"the nesting is deeper than {self._max_depth} levels",
            code=RESOURCE_EXHAUSTED,
            span=self.here(),
            hint="nest less deeply",
        )

    def ascend(self) -> None:
        """Leave the level that `descend` began."""
        self._depth -= 1

    def begin_value(self) -> int:
        """Count levels from here, so that what is stored nests as deep wherever it stands.

        Returns what `end_value` wants.
        """
        outside, self._depth = self._depth, 0
        return outside

    def end_value(self, outside: int) -> None:
        """Go on with the levels around a value."""
        self._depth = outside

    def here(self) -> Span:
        """Return the place of the current token."""
        return self.tokens.span(self.at)

    def since(self, first: int) -> Span:
        """Return the place from token `first` to the last one consumed."""
        last = self.at - 1
        return Span(self._starts[first], self._starts[last] + len(self._texts[last]))

    def following_variable(self) -> str | None:
        """Return the first variable at or after the current token, as it is written."""
        rest = self._texts[self.at :]
        return next((one for one in rest if one[0] == "?" and len(one) > 1), None)

    def text_since(self, first: int) -> str:
        """Return the source from token `first` to the last one consumed."""
        span = self.since(first)
        return self.source[span.start : span.end]

    def unexpected(self, *expected: str) -> RecollectError:
        """Return the error for the current token, where one of `expected` should stand."""
        self.expected = expected
        return diagnose.unexpected(self.tokens, self.at, expected)

    def settled(self, error: RecollectError) -> RecollectError:
        """Return an error whose hint is all that helps: no edit is looked for."""
        self.is_settled = True
        return error

    def unwrapped(self, message: str, first: int, keyword: str, brackets: str) -> RecollectError:
        """Return the error for what stands from token `first` to here without its brackets."""
        opener, closer = brackets[0], brackets[1]
        pad = " " if opener == "{" else ""
        span, inside = self.since(first), self.text_since(first)
        if self.token == closer and diagnose.innermost_open(self.tokens, first) is None:
            before = Span(span.start, span.start)
            error = self.error(message, span=span, hint=f"add `{opener}` after {keyword}")
            error.fix = Fix(before, f"{opener}{pad}")
            return error
        better = f"{opener}{pad}{inside}{pad}{closer}"
        is_short = len(better) <= 60 and "\n" not in better
        joint = " " if opener == "{" else ""
        shown = better if is_short else f"{opener}{pad}...{pad}{closer}"
        return self.error(message, span=span, hint=f"use {keyword}{joint}{shown}", fix=better)

    def error(
        self,
        message: str,
        *,
        span: Span | None = None,
        code: Code = INVALID_SYNTAX,
        hint: str = "",
        known: tuple[str, ...] = (),
        fix: str | None = None,
    ) -> RecollectError:
        """Return an error at `span`, else at the current token; `fix` replaces that place."""
        place = self.here() if span is None else span
        edit = None if fix is None else Fix(place, fix)
        return RecollectError(
            code, message, hint=hint, source=self.source, span=place, known=known, fix=edit
        )

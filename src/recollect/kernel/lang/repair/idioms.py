"""What a text says in the idiom of another language, and how KIP says the same.

The rule: an idiom is known by the tokens around the one that a text fails at. Its edit says the
same and nothing less: a negation, a direction, a bound or a word that means something is written
in KIP's way, or only told of in a hint. What no edit can say has none, and none is looked for.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.repair.bare_forms import BARE_FORMS
from recollect.kernel.lang.repair.diagnose import DIRECTIONS
from recollect.kernel.lang.repair.near import (
    brackets_around,
    closing,
    fault_at,
    field_end,
    members,
    statement_end,
)
from recollect.kernel.lang.repair.spelled_otherwise import SPELLINGS
from recollect.kernel.lang.tokens import END, Tokens, quoted
from recollect.kernel.lang.words import AGGREGATES, COMPARISONS, FIELDS, PATTERN_KEYS, STATEMENTS
from recollect.node import replace

Idiom = Callable[[Tokens, int, int], RecollectError | None]
"""Knows an idiom at the token a text fails at, in the statement that begins at the other one."""

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
UNIT = re.compile(r"%|[A-Za-z\u00b5\u20ac$]{1,3}\b")
DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?"
    r"(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
STRING_ENDS = re.compile(r'"(?=\s*(?:[,)}\]:]|\|\||&&|$))')
AHEAD = 6  # tokens that an idiom looks at behind the one a text fails at
NEW_STATEMENTS = {
    "ASSERT": "UPSERT a proposition, with confidence and source in WITH METADATA",
    "RETRACT": "UPDATE the metadata of the link, or DELETE PROPOSITIONS",
    "SUPERSEDE": "UPDATE the metadata of the link (`superseded_by`)",
    "MUTATE": "write the statements one after the other: a text is one transaction",
    "BELIEF": "FIND the links, and read their metadata with META",
    "LIST": "use DESCRIBE or FIND",
    "HISTORY": "ask for the history of an element by its id, outside the text",
    "VERIFY": "verify the memory outside the text",
    "PREVIEW": "make a dry run of the request",
    "ARCHIVE": "UPDATE a status in the metadata",
    "EVIDENCE": "write the source into WITH METADATA",
    "ASSERTION": "FIND the links, and read their metadata with META",
    "ACTIVITY": "write the source into WITH METADATA",
    "STRUCTURAL": "write the link without STRUCTURAL",
    "FACET": "SET ATTRIBUTES",
    "EPISTEMIC": "FILTER on the metadata of the links",
}
"""The words that KIP 2.0 begins a statement or a part with, and what says the same here."""


def idiom_at(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """Return the error that names the idiom a text fails at, or None if it is none we know."""
    padded = _padded(tokens)
    for known in IDIOMS:
        error = known(padded, at, statement)
        if error is not None:
            return error
    return None


def _padded(tokens: Tokens) -> Tokens:
    """Return the tokens with ends behind the end, so that a look ahead finds one."""
    end = array("I", [len(tokens.source)] * AHEAD)
    texts, starts = [*tokens.texts, *[END] * AHEAD], array("I", tokens.starts) + end
    return Tokens(tokens.source, texts, starts, tokens.comments)


def _negated_predicate(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`(?a, !"treats", ?b)` is `NOT { (?a, "treats", ?b) }`."""
    texts = tokens.texts
    if texts[at] not in ("!", "NOT", "-") or texts[at - 1] != "," or texts[at + 1][0] not in '"?$':
        return None
    opener, closer = brackets_around(tokens, at)
    if opener is None or closer is None or texts[opener] != "(":
        return None
    hint = "say that a link is not there with NOT { ... }"
    message = f"a predicate is not negated, found `{texts[at]}`"
    if texts[opener - 1] not in ("{", "}", ")"):
        return fault_at(tokens, tokens.span(at), message, hint)
    span, place = tokens.spans(opener, closer), tokens.starts[at]
    source = tokens.source
    link = source[span.start : place] + source[tokens.starts[at + 1] : span.end]
    better = f"NOT {{ {link} }}"
    return fault_at(tokens, tokens.span(at), message, f"use {better}", Fix(span, better))


def _turned_predicate(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`(?a, ^"treats", ?b)` is `(?b, "treats", ?a)`."""
    texts = tokens.texts
    is_turned = texts[at] in ("^", "~", "<") and texts[at - 1] == "," and texts[at + 1][0] in '"('
    opener, closer = brackets_around(tokens, at) if is_turned else (None, None)
    if opener is None or closer is None or texts[opener] != "(":
        return None
    first, last = at + 1, at + 1
    if texts[first] == "(":
        first, last = first + 1, (closing(tokens, first) or first) - 1
        after = last + 2
    else:
        if texts[last + 1] == "{":
            last = closing(tokens, last + 1) or last
        after = last + 1
    if texts[after] != "," or after >= closer:
        return None
    source = tokens.source
    predicate = tokens.spans(first, last)
    subject = tokens.spans(opener + 1, at - 2)
    object_ = tokens.spans(after + 1, closer - 1)
    ends = source[object_.start : object_.end], source[subject.start : subject.end]
    better = f"({ends[0]}, {source[predicate.start : predicate.end]}, {ends[1]})"
    message = f"a predicate has one direction, found `{texts[at]}`"
    fix = Fix(tokens.spans(opener, closer), better)
    return fault_at(tokens, tokens.span(at), message, f"change the ends: {better}", fix)


def _order_direction(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`ORDER BY -?x` is `ORDER BY ?x DESC`."""
    texts = tokens.texts
    if texts[at] not in ("-", "+") or texts[at - 1] not in ("BY", ",") or texts[at + 1][0] != "?":
        return None
    last = field_end(tokens, at + 1)
    field = tokens.spans(at + 1, last)
    direction = "DESC" if texts[at] == "-" else "ASC"
    better = f"{tokens.source[field.start : field.end]} {direction}"
    is_said_twice = texts[last + 1] in DIRECTIONS
    fix = None if is_said_twice else Fix(Span(tokens.starts[at], field.end), better)
    return fault_at(tokens, tokens.span(at), "a direction is a word", f"use {better}", fix)


def _signed_number(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`- 5` is `-5`."""
    following = tokens.texts[at + 1] if tokens.texts[at] in ("-", "+") else ""
    if not following or not NUMBER.fullmatch(following) or following[0] == "-":
        return None
    better = following if tokens.texts[at] == "+" else f"-{following}"
    span = tokens.spans(at, at + 1)
    return fault_at(
        tokens, span, "a sign stands right before its number", f"use {better}", Fix(span, better)
    )


def _number_with_unit(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`10%` is no number: whether 10, 0.1 or a text is meant, nobody can know."""
    before = tokens.span(at - 1) if at else None
    if before is None or not NUMBER.fullmatch(tokens.texts[at - 1]):
        return None
    unit = UNIT.match(tokens.source, before.end)
    if unit is None or before.end != tokens.starts[at]:
        return None
    written = tokens.texts[at - 1] + unit[0]
    hint = f'write the number that is stored, or the text "{written}"'
    return fault_at(tokens, Span(before.start, unit.end()), f"`{written}` is no number", hint)


def _bare_date(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`at: 2024-01-01` lacks its quotes."""
    for first in (at, at - 1, at - 2):
        if first < 0 or not tokens.texts[first][0].isdecimal():
            continue
        date = DATE.match(tokens.source, tokens.starts[first])
        if date is not None and date.end() >= tokens.span(at).start:
            hint = f'use "{date[0]}"'
            span = Span(date.start(), date.end())
            fix = _quoted_dates(tokens, first, date)
            return fault_at(tokens, span, "a date stands in quotes", hint, fix)
    return None


def _quoted_dates(tokens: Tokens, at: int, date: re.Match[str]) -> Fix:
    """Return the edit that quotes a date, and those after it in the same brackets."""
    source, end = tokens.source, date.end()
    better = f'"{date[0]}"'
    _, closer = brackets_around(tokens, at)
    for one in range(at + 1, closer or at):
        start = tokens.starts[one]
        other = DATE.match(source, start) if start >= end else None
        if other is not None and tokens.texts[one - 1][0] != '"':
            better += f'{source[end:start]}"{other[0]}"'
            end = other.end()
    return Fix(Span(date.start(), end), better)


def _broken_string(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    r"""A string over several lines: a line break in it is written `\n`."""
    token, span, source = tokens.texts[at], tokens.span(at), tokens.source
    if (
        token[0] != '"'
        or (len(token) > 1 and token[-1] == '"')
        or source[span.end : span.end + 1] not in ("\n", "\r")
    ):
        return None
    message = "this string is not closed on its line"
    hint = r'close it with `"`; a line break inside a string is written \n'
    end = STRING_ENDS.search(source, span.end, span.end + 20_000)
    quote = Span(span.start, span.start + 1)
    if end is None or '"' in source[span.end : end.start()]:
        return None
    inside = source[span.start + 1 : end.start()].replace("\r\n", "\n")
    better = quoted(inside)
    fix = Fix(Span(span.start, end.end()), better)
    return fault_at(tokens, quote, message, hint, fix)


def _quote_in_string(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    r"""`"he said "hi""`: a quote inside a string is written `\"`."""
    source = tokens.source
    line_start = source.rfind("\n", 0, tokens.starts[at]) + 1
    whole_line = source[line_start : source.find("\n", line_start) % (len(source) + 1)]
    if whole_line.count('"') % 2:
        return None  # one is missing rather
    for first in (at, at - 1, at - 2):
        if first < 0 or tokens.texts[first][0] != '"':
            continue
        span = tokens.span(first)
        after, before = source[span.end : span.end + 1], source[span.start - 1 : span.start]
        if not (_adjoins(after) or (_adjoins(before) and first > 0)):
            continue
        opening = first if _adjoins(after) else first - 1
        while opening > 0 and tokens.texts[opening][0] != '"':
            opening -= 1
        if tokens.texts[opening][0] != '"':
            continue
        start = tokens.starts[opening]
        line_end = source.find("\n", start)
        line = source[start : len(source) if line_end < 0 else line_end]
        ends = [
            one.start() for one in STRING_ENDS.finditer(line, tokens.span(first).end - start - 1)
        ]
        message = "a quote stands inside a string"
        hint = r"write \" for a quote inside a string"
        place = Span(span.start, span.end)
        if not ends:
            return fault_at(tokens, place, message, hint)
        end = ends[0]
        while line[end + 1 : end + 2] == '"':
            end += 1
        better = quoted(line[1:end])
        return fault_at(tokens, place, message, hint, Fix(Span(start, start + end + 1), better))
    return None


def _adjoins(character: str) -> bool:
    """Whether a character beside a quote shows that the quote belongs to the text."""
    return character == '"' or character.isalnum()


def _between(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`?v BETWEEN 1 AND 3` is `?v >= 1 && ?v <= 3`."""
    texts = tokens.texts
    if texts[at].upper() != "BETWEEN":
        return None
    first = at - 1
    while first > 0 and texts[first][0] != "?":
        first -= 1
    message, span = "there is no BETWEEN", tokens.span(at)
    has_and = texts[at + 1] is not END and texts[at + 2].upper() in ("AND", "&&")
    if texts[first][0] != "?" or not has_and or texts[at + 3] is END:
        return fault_at(tokens, span, message, "write ?value >= 1 && ?value <= 3")
    tested = tokens.spans(first, at - 1)
    field = tokens.source[tested.start : tested.end]
    better = f"{field} >= {texts[at + 1]} && {field} <= {texts[at + 3]}"
    fix = Fix(tokens.spans(first, at + 3), better)
    return fault_at(tokens, span, message, f"use {better}", fix)


def _key_in_pattern(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`{type: "Drug", name: "a", risk_level: 3}`: an attribute is no part of a pattern."""
    texts = tokens.texts
    keys = (one for one in (at, at - 1, at - 2) if one > 0 and texts[one + 1] == ":")
    at = next((one for one in keys if texts[one - 1] in ("{", ",")), 0)
    key = texts[at].strip('"')
    if not at or key in PATTERN_KEYS:
        return None
    opener, closer = brackets_around(tokens, at)
    if opener is None or closer is None or texts[opener] != "{":
        return None
    if texts[opener + 1] not in PATTERN_KEYS and texts[opener + 2] != ":":
        return None
    found = members(tokens, opener, closer)
    kept = [text for name, text, _ in found if name in PATTERN_KEYS]
    moved = [(name, text, value) for name, text, value in found if name not in PATTERN_KEYS]
    if not kept or not moved:
        return None
    span, shown = tokens.spans(opener, closer), moved[0][0][:40]
    message = f"a concept pattern has no key {shown}: only type, name and id"
    pattern = "{" + ", ".join(kept) + "}"
    if texts[statement] == "UPSERT":
        block = ", ".join(text for _, text, _ in moved)
        hint = f"write it in SET ATTRIBUTES {{ {moved[0][1][:60]} }}, below the pattern"
        if texts[closer + 1 : closer + 4] == ["SET", "ATTRIBUTES", "{"]:
            whole = tokens.spans(opener, closer + 3)
            joint = " " if texts[closer + 4] == "}" else ", "
            return fault_at(
                tokens,
                tokens.span(at),
                message,
                hint,
                Fix(whole, f"{pattern} SET ATTRIBUTES {{ {block}{joint}"),
            )
        is_block = texts[opener - 1] == "{" and texts[closer + 1] in ("}", "SET", "WITH")
        fix = Fix(span, f"{pattern} SET ATTRIBUTES {{ {block} }}") if is_block else None
        return fault_at(tokens, tokens.span(at), message, hint, fix)
    named = texts[opener - 1]
    if named[0] != "?" or any(value[0] in "{[" for _, _, value in moved):
        hint = f'read it with ATTR(?x, "{shown}", ?value)'
        return fault_at(tokens, tokens.span(at), message, hint)
    compared = [one for one in moved if one[2][0] != "?"]
    read = [f'ATTR({named}, "{name}", {value})' for name, _, value in moved if value[0] == "?"]
    tests = " && ".join(f"{named}.attributes.{name} == {value}" for name, _, value in compared)
    better = " ".join([*read, f"FILTER({tests})"] if compared else read)
    is_plain = all(re.fullmatch(r"[^\W\d]\w*", name) for name, _, _ in moved)
    fix = Fix(span, f"{pattern} {better}") if is_plain else None
    return fault_at(tokens, tokens.span(at), message, f"write {better}", fix)


def _bare_test(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`?d.type == "Drug"` as a clause stands in FILTER."""
    texts = tokens.texts
    first = at
    while first > 0 and not (texts[first][0] == "?" and len(texts[first]) > 1):
        if (
            texts[first] != "."
            and not texts[first][0].isalpha()
            and texts[first] not in COMPARISONS
        ):
            return None
        first -= 1
    if texts[first][0] != "?" or texts[first - 1] in ("(", ",", "!", "&&", "||", *COMPARISONS):
        return None
    last = field_end(tokens, first)
    if texts[last + 1] not in (*COMPARISONS, "=") or texts[last + 2] is END:
        return None
    end = field_end(tokens, last + 2)
    while texts[end + 1] in ("&&", "||") and texts[end + 2] is not END:
        end = field_end(tokens, end + 2)
        if texts[end + 1] in COMPARISONS:
            end = field_end(tokens, end + 2)
    span = tokens.spans(first, end)
    test = tokens.source[span.start : span.end]
    if last == first + 2 and texts[last] not in FIELDS:
        test = test.replace(".", ".attributes.", 1)
    if texts[last + 1] == "=":
        test = test.replace("=", "==", 1)
    better = f"FILTER({test})"
    return fault_at(tokens, span, "a test stands in FILTER", f"use {better}", Fix(span, better))


def _not_before_pattern(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`?d NOT {type: "Drug"}` is `NOT { ?d {type: "Drug"} }`; before clauses the variable goes."""
    texts = tokens.texts
    if texts[at] not in ("NOT", "!") or texts[at - 1][0] != "?" or texts[at + 1] not in ("{", "("):
        return None
    closer = closing(tokens, at + 1)
    if closer is None:
        return None
    pattern = tokens.spans(at + 1, closer)
    better = f"NOT {{ {texts[at - 1]} {tokens.source[pattern.start : pattern.end]} }}"
    fix: Fix | None = Fix(tokens.spans(at - 1, closer), better)
    if texts[at + 1] == "{" and texts[at + 3] != ":":
        better, fix = f"NOT {tokens.source[pattern.start : pattern.end]}", None  # a name would go
    return fault_at(tokens, tokens.span(at), "NOT stands before its braces", f"use {better}", fix)


def _searched_for(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`SEARCH FOR "x" IN T` is `SEARCH CONCEPT "x" WITH TYPE "T"`."""
    texts = tokens.texts
    if texts[statement] != "SEARCH" or texts[at].upper() not in ("FOR", "IN", "ABOUT"):
        return None
    rest = [one for one in texts[statement + 1 : statement + 6] if one is not END]
    kinds = [one for one in rest if one in ("CONCEPT", "PROPOSITION")]
    term = next((one for one in rest if one[0] == '"' or one[0] in "$:"), None)
    upper = [one.upper() for one in rest]
    message, span = f"SEARCH has no {texts[at].upper()}", tokens.span(at)
    form = 'write SEARCH CONCEPT "words" WITH TYPE "Type"'
    if term is None:
        return fault_at(tokens, span, message, form)
    last = statement + 1 + rest.index(term)
    better = f"SEARCH {kinds[0] if kinds else 'CONCEPT'} {term}"
    if "IN" in upper:
        where = statement + 1 + upper.index("IN")
        place = texts[where + 1]
        last = max(last, where if place is END else where + 1)
        if place not in ("CONCEPT", "PROPOSITION", END, *STATEMENTS):
            is_said = place[0] in '"$:'
            better += f" WITH TYPE {place if is_said else quoted(place)}"
    fix = Fix(tokens.spans(statement, last), better)
    return fault_at(tokens, span, message, f"use {better}", fix)


def _updated_type(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """`UPDATE Drug SET ...` and `UPDATE {type: "Drug"} SET ...` name their concepts in WHERE."""
    texts = tokens.texts
    if texts[statement] != "UPDATE" or at != statement + 1 or texts[at] is END:
        return None
    if texts[at] == "{":
        closer = closing(tokens, at)
        if closer is None:
            return None
        target = tokens.spans(at, closer)
        pattern = tokens.source[target.start : target.end]
    elif texts[at][0].isalpha() or texts[at][0] == '"':
        closer, target = at, tokens.span(at)
        pattern = f"{{type: {quoted(texts[at].strip(chr(34)))}}}"
    else:
        return None
    message = "UPDATE takes a variable, which its WHERE binds"
    hint = f"write UPDATE ?x ..., and WHERE {{ ?x {pattern} }} at the end"
    end = statement_end(tokens, at)
    if texts[closer + 1] != "SET" or "WHERE" in texts[at:end] or "?x" in texts[at:end]:
        return fault_at(tokens, target, message, hint)
    body = tokens.spans(closer + 1, end - 1)
    better = f"?x {tokens.source[body.start : body.end]} WHERE {{ ?x {pattern} }}"
    return fault_at(tokens, target, message, hint, Fix(Span(target.start, body.end), better))


def _limit_of_two(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`LIMIT 5, 10` skips five and takes ten."""
    texts = tokens.texts
    if texts[at] != "," or at < 2 or texts[at - 2] != "LIMIT":
        return None
    skipped, taken = texts[at - 1], texts[at + 1]
    if not (skipped.isdecimal() and taken.isdecimal()):
        return None
    better = f"LIMIT {taken} OFFSET {skipped}"
    fix = Fix(tokens.spans(at - 2, at + 1), better)
    return fault_at(tokens, tokens.span(at), "LIMIT takes one number", f"use {better}", fix)


def _foreign_part(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """HAVING, RETURN and AS OF, which no edit can say."""
    texts, span = tokens.texts, tokens.span(at)
    word, following = texts[at].upper(), texts[at + 1].upper()
    if word == "HAVING":
        hint = "return the aggregate in FIND, and compare it outside the text"
        return fault_at(tokens, span, "there is no HAVING", hint)
    if word == "RETURN" and "FIND" in texts[statement:at]:
        hint = "name what is returned in FIND(...), and remove RETURN"
        return fault_at(tokens, span, "there is no RETURN: FIND names the columns", hint)
    is_as_of = (word, following) == ("AS", "OF") or (word, following) == ("FOR", "TIME")
    if is_as_of and texts[at - 1] == "}":
        hint = "remove it, and give the moment beside the text: as_of"
        return fault_at(
            tokens, tokens.spans(at, at + 1), "no text says as of when it is read", hint
        )
    return None


def _grouped(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """GROUP BY goes where it repeats what FIND says: that its plain columns are the groups."""
    texts = tokens.texts
    if texts[at].upper() != "GROUP" or texts[at + 1].upper() != "BY":
        return None
    last, named = at + 1, []
    while texts[last + 1][0] in "?," and texts[last + 1] is not END:
        last = field_end(tokens, last + 1)
        if texts[last] != ",":
            named.append(tokens.source[tokens.starts[last] : tokens.span(last).end])
    columns = (
        texts[statement : texts.index("WHERE", statement, at)] if "WHERE" in texts[:at] else []
    )
    plain = [one for place, one in enumerate(columns) if columns[place - 2] not in AGGREGATES]
    fix = Fix(tokens.spans(at, last), "") if named and set(named) <= set(plain) else None
    hint = "remove GROUP BY: an aggregate is grouped by the plain columns of FIND"
    return fault_at(tokens, tokens.spans(at, at + 1), "there is no GROUP BY", hint, fix)


def _newer_language(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """A word of KIP 2.0."""
    word = tokens.texts[at].upper()
    is_part = word in NEW_STATEMENTS and tokens.texts[at + 1] not in (":", ",")
    if not is_part or tokens.texts[at - 1] in (".", ":"):
        return None
    message = f"{word} is KIP 2.0, another language than KIP 1.0"
    error = fault_at(tokens, tokens.span(at), message, f"here, {NEW_STATEMENTS[word]}")
    return replace(error, details={"language": "KIP 2.0"})


def _prose_before(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """Words before the first statement: whether they take it back, no machine can know."""
    source = tokens.source
    if at or statement or not tokens.texts[0][0].isalpha() or "```" in source:
        return None
    for one in range(2, min(len(tokens.texts) - 1, 200)):
        if tokens.texts[one] in STATEMENTS and tokens.texts[one + 1] in (
            "(",
            "{",
            "CONCEPT",
            "PROPOSITIONS",
            "PRIMER",
        ):
            start = tokens.starts[one]
            line = source.count("\n", 0, start) + 1
            where = f"in line {line}" if line > 1 else f"at character {start + 1}"
            return fault_at(
                tokens,
                Span(0, start),
                "words stand before the text",
                f"begin with {tokens.texts[one]} {where}, without what stands before it",
            )
    return None


IDIOMS: Sequence[Idiom] = (
    _newer_language,
    _foreign_part,
    _grouped,
    *BARE_FORMS,
    *SPELLINGS,
    _broken_string,
    _quote_in_string,
    _bare_date,
    _negated_predicate,
    _turned_predicate,
    _order_direction,
    _signed_number,
    _number_with_unit,
    _between,
    _not_before_pattern,
    _key_in_pattern,
    _bare_test,
    _searched_for,
    _updated_type,
    _limit_of_two,
    _prose_before,
)
"""Tried in this order at the token where a text fails."""

__all__ = ["idiom_at"]

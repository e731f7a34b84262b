"""Texts in another language: plain words, KIP 2.0, and groups as SQL names them."""

from __future__ import annotations

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.repair.near import fault_at
from recollect.kernel.lang.tokens import END, Tokens, is_word, quoted
from recollect.kernel.lang.words import AGGREGATES, STATEMENTS
from recollect.node import replace

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
STRUCTURE = frozenset("{}()[]")
LONGEST = 200  # characters of a question in plain words


def newer_language(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """A word of KIP 2.0."""
    word = tokens.texts[at].upper()
    is_part = word in NEW_STATEMENTS and tokens.texts[at + 1] not in (":", ",")
    if not is_part or tokens.texts[at - 1] in (".", ":"):
        return None
    message = f"{word} is KIP 2.0, another language than KIP 1.0"
    error = fault_at(tokens, tokens.span(at), message, f"here, {NEW_STATEMENTS[word]}")
    return replace(error, details={"language": "KIP 2.0"})


def grouped(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
    """GROUP BY goes where it repeats what FIND says: that its plain columns are the groups."""
    texts = tokens.texts
    if texts[at].upper() != "GROUP" or texts[at + 1].upper() != "BY":
        return None
    last, named = at + 1, []
    while texts[last + 1][0] in "?," and texts[last + 1] is not END:
        last = _field_end(tokens, last + 1)
        if texts[last] != ",":
            named.append(tokens.source[tokens.starts[last] : tokens.span(last).end])
    columns = (
        texts[statement : texts.index("WHERE", statement, at)] if "WHERE" in texts[:at] else []
    )
    plain = [one for place, one in enumerate(columns) if columns[place - 2] not in AGGREGATES]
    fix = Fix(tokens.spans(at, last), "") if named and set(named) <= set(plain) else None
    hint = "remove GROUP BY: an aggregate is grouped by the plain columns of FIND"
    return fault_at(tokens, tokens.spans(at, at + 1), "there is no GROUP BY", hint, fix)


def question(tokens: Tokens, at: int, _: int) -> RecollectError | None:
    """`What treats headache?` is `SEARCH "What treats headache?"`."""
    text = tokens.source.strip()
    if at or not text.endswith("?") or not is_word(tokens.texts[0]) or len(text) > LONGEST:
        return None
    if " " not in text or "\n" in text or STRUCTURE.intersection(text):
        return None
    better = f"SEARCH {quoted(text)}"
    fix = Fix(Span(0, len(tokens.source)), better)
    message = "this is a question in plain words, and no statement"
    return fault_at(tokens, Span(0, len(text)), message, f"use {better}", fix)


def prose_before(tokens: Tokens, at: int, statement: int) -> RecollectError | None:
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


def _field_end(tokens: Tokens, at: int) -> int:
    """Return the last token of `?x.attributes.name`, or of a plain value."""
    texts = tokens.texts
    while texts[at + 1] == "." and (texts[at + 2][0].isalpha() or texts[at + 2][0] == "_"):
        at += 2
    return at

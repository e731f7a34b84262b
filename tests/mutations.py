"""Valid commands in both dialects, and a fixed stream of single slips made in them.

The rule: one slip is made in one token of one command, and the same seed makes the same stream.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from recollect.kernel.lang.tokens import Tokens, is_word, lex
from recollect.kernel.lang.words import COMPARISONS, KEYWORDS

COMMANDS = (
    'FIND(?drug, ?name)\nWHERE {\n  ?drug {type: "Drug"}\n  ATTR(?drug, "name", ?name)\n}\nORDER BY ?name DESC\nLIMIT 10',
    'FIND(?class, COUNT(DISTINCT ?drug) AS ?n) WHERE { (?drug, "is_class_of", ?class) ATTR(?drug, "risk_level", ?risk) FILTER(?risk > 2 && ?risk != 5) } ORDER BY ?n ASC',
    'FIND(?a) WHERE { ?a {type: "Drug", name: $name} NOT { (?a, "treats", {name: "Headache"}) } OPTIONAL { (?a, "is_a{1,3}", ?b) } }',
    'FIND(?s) WHERE { ?s {type: "Symptom"} UNION { ?s {type: "Disease"} } FILTER(CONTAINS(?s.name, "ache") || STARTS_WITH(?s.name, "Fe")) } LIMIT :n OFFSET 20',
    'FIND(?l, ?source) WHERE { ?l (?drug, "treats" | "helps", ?symptom) META(?l, "source", ?source) FILTER(!IS_NULL(?source) && IN(?source, ["a", "b"])) }',
    'FIND(?p.name, ?p.attributes.role, AVG(?l.metadata.confidence)) WHERE { ?p {type: "Person"} ?l (?p, "knows", ?q) FILTER(?l.metadata.confidence >= 0.5) } ORDER BY ?p.name, ?p.attributes.role DESC LIMIT 5 CURSOR "abc"',
    'FIND(?l.id, ?l.subject) WHERE { ?l (id: "k9") FILTER(REGEX(?l.predicate, "^is_")) }',
    'UPSERT {\n  CONCEPT @aspirin {\n    {type: "Drug", name: "Aspirin"}\n    SET ATTRIBUTES { formula: "C9H8O4", risk_level: 2, tags: ["old", "cheap"] }\n    SET PROPOSITIONS {\n      ("treats", {type: "Symptom", name: "Headache"}) WITH METADATA { confidence: 0.9 }\n      ("is_class_of", @nsaid)\n    }\n  }\n  CONCEPT @nsaid { {type: "DrugClass", name: "NSAID"} }\n}\nWITH METADATA { source: "book", confidence: 1.0 }',
    'UPSERT { CONCEPT ?p { {type: "Person", name: :name} EXPECT VERSION 3 SET ATTRIBUTES {"role": "writer", active: true, boss: null} } PROPOSITION ?k { (?p, "knows", {type: "Person", name: "Bob"}) SET ATTRIBUTES {since: 1999} } WITH METADATA {author: "me"} }',
    'UPDATE ?p SET ATTRIBUTES { count: ADD(COALESCE(?p.attributes.count, 0), 1), seen: :t } SET METADATA { strength: CLAMP(MUL(?p.metadata.strength, 0.9), 0.0, 1.0) } WHERE { ?p {type: "Preference", name: :n} } LIMIT 100',
    'MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Drug", name: "ASA"} ?b {type: "Drug", name: "Aspirin"} }',
    'DELETE ATTRIBUTES {"risk_level", "formula"} FROM ?d WHERE { ?d {type: "Drug", name: "Aspirin"} }',
    'DELETE METADATA {"source"} FROM ?l WHERE { ?l (?s, "treats", ?o) }',
    'DELETE PROPOSITIONS ?l WHERE { ?l ({type: "Drug", name: "Aspirin"}, "treats", ?o) META(?l, "confidence", ?c) FILTER(?c < 0.3) }',
    'DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH',
    'DELETE CONCEPT ?x DETACH WHERE { ?x {type: "Draft"} }',
    'SEARCH CONCEPT "pain killer" WITH TYPE "Drug" MODE "hybrid" THRESHOLD 0.4 LIMIT 5',
    'SEARCH PROPOSITION $term LIMIT 3',
    'DESCRIBE CONCEPT TYPES LIMIT 20 CURSOR :cursor',
    'DESCRIBE PROPOSITION TYPE "treats"',
    'DESCRIBE PRIMER',
    'EXPORT ?n WHERE { ?n {type: "Insight"} (?n, "belongs_to_domain", {type: "Domain", name: "Health"}) } LIMIT 50',
    'EXPLAIN FIND(?x) WHERE { ?x {name: "A"} }',
    '// two statements\nFIND(?x) WHERE { ?x {id: "c1"} };\nFIND(COUNT(?y)) WHERE { ?y {type: "B"} }',
)  # fmt: skip

OPERATORS = {
    "==": ("=", "==="),
    "!=": ("<>", "!=="),
    "<=": ("=<",),
    ">=": ("=>",),
    "&&": ("and", "&", "AND"),
    "||": ("or", "|", "OR"),
    "!": ("not ", "NOT "),
}
QUOTES = ("'{}'", "\u201c{}\u201d", "`{}`")
BRACKETS = "(){}[]"


@dataclass(frozen=True)
class Slip:
    """A command with one slip in it."""

    kind: str
    text: str
    meant: str  # the command before the slip


Change = Callable[[Tokens, int, random.Random], str | None]
"""Returns what stands in the place of a token after a slip; None where it cannot be made."""


def keyword_case(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A keyword in lower case."""
    token = tokens.texts[at]
    return token.lower() if token in KEYWORDS else None


def keyword_typo(tokens: Tokens, at: int, chance: random.Random) -> str | None:
    """A keyword with a letter left out, doubled, exchanged with the next or mistaken."""
    token = tokens.texts[at]
    if token not in KEYWORDS or len(token) < 4:
        return None
    place = chance.randrange(len(token) - 1)
    before, one, other, after = token[:place], token[place], token[place + 1], token[place + 2 :]
    return chance.choice(
        (
            before + other + after,
            before + one + one + other + after,
            before + other + one + after,
            before + chr(ord("A") + chance.randrange(26)) + other + after,
        )
    )


def keyword_missing(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A keyword left out."""
    return "" if tokens.texts[at] in KEYWORDS else None


def quote_missing(tokens: Tokens, at: int, chance: random.Random) -> str | None:
    """A string without its first quote, its last, or both."""
    token = tokens.texts[at]
    return chance.choice((token[1:], token[:-1], token[1:-1])) if token[0] == '"' else None


def quote_kind(tokens: Tokens, at: int, chance: random.Random) -> str | None:
    """A string in other quotes."""
    token = tokens.texts[at]
    return chance.choice(QUOTES).format(token[1:-1]) if token[0] == '"' else None


def bracket_missing(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A bracket left out."""
    return "" if tokens.texts[at] in BRACKETS else None


def bracket_other(tokens: Tokens, at: int, chance: random.Random) -> str | None:
    """A bracket of another kind."""
    token = tokens.texts[at]
    return chance.choice(BRACKETS.replace(token, "")) if token in BRACKETS else None


def bracket_extra(tokens: Tokens, at: int, chance: random.Random) -> str | None:
    """A bracket before a token where none belongs."""
    return chance.choice(BRACKETS) + tokens.texts[at]


def separator_missing(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A comma or a colon left out."""
    return "" if tokens.texts[at] in (",", ":") else None


def separator_other(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A semicolon for a comma, an equals sign for a colon."""
    return {",": ";", ":": " ="}.get(tokens.texts[at])


def operator_other(tokens: Tokens, at: int, chance: random.Random) -> str | None:
    """An operator as another language spells it."""
    spelled = OPERATORS.get(tokens.texts[at])
    return None if spelled is None else chance.choice(spelled)


def sigil_missing(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A variable, a handle or a placeholder without its sign."""
    token = tokens.texts[at]
    return token[1:] if token[0] in "?@$" else None


def number_quoted(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A number in quotes."""
    token = tokens.texts[at]
    return f'"{token}"' if token[0].isdecimal() else None


def token_twice(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A token written twice."""
    token = tokens.texts[at]
    return f"{token} {token}"


def token_stray(tokens: Tokens, at: int, chance: random.Random) -> str | None:
    """A separator or an operator where none belongs."""
    return f"{chance.choice((',', ':', ';', '.', *COMPARISONS))} {tokens.texts[at]}"


def tokens_swapped(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """Two tokens beside each other in the other order."""
    if at + 1 >= len(tokens.texts) - 1:
        return None
    between = tokens.source[tokens.span(at).end : tokens.starts[at + 1]] or " "
    return f"{tokens.texts[at + 1]}{between}{tokens.texts[at]}"


def name_missing(tokens: Tokens, at: int, _: random.Random) -> str | None:
    """A variable, string or number left out; nothing can know which it was."""
    token = tokens.texts[at]
    is_name = token[0] in '?@$"' or token[0].isdecimal()
    return "" if is_name or (is_word(token) and token not in KEYWORDS) else None


CHANGES: tuple[Change, ...] = (
    keyword_case,
    keyword_typo,
    keyword_missing,
    quote_missing,
    quote_kind,
    bracket_missing,
    bracket_other,
    bracket_extra,
    separator_missing,
    separator_other,
    operator_other,
    sigil_missing,
    number_quoted,
    token_twice,
    token_stray,
    tokens_swapped,
    name_missing,
)


def slips(count: int, seed: int = 1) -> Iterator[Slip]:
    """Yield so many different slips; every class as often as the others, while it has new ones."""
    chance = random.Random(seed)
    commands = [lex(one) for one in COMMANDS]
    made: set[str] = set()
    while len(made) < count:
        for change in CHANGES:
            slip = _slip(commands, change, chance, made)
            if slip is not None and len(made) < count:
                made.add(slip.text)
                yield slip


def _slip(
    commands: list[Tokens], change: Change, chance: random.Random, made: set[str]
) -> Slip | None:
    for _ in range(200):
        tokens = chance.choice(commands)
        at = chance.randrange(len(tokens.texts) - 1)
        better = change(tokens, at, chance)
        if better is None:
            continue
        last = at + 1 if change is tokens_swapped else at
        span = tokens.spans(at, last)
        text = tokens.source[: span.start] + better + tokens.source[span.end :]
        if text not in made and text != tokens.source:
            return Slip(change.__name__, text, tokens.source)
    return None

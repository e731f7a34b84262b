"""How each construct of the language is written, for the hints of errors that have no better one.

The rule: every keyword has a form, and every form can be pasted and filled in.
"""

from __future__ import annotations

from recollect.kernel.lang.tokens import KEYWORDS, STATEMENTS, Tokens

_LINK = '(?x, "predicate", ?y)'
_CONCEPT = '?x {type: "..."}'
_PATTERN = '{type: "...", name: "..."}'
_UPDATE = 'UPDATE ?x SET ATTRIBUTES {key: "value"} WHERE { ?x {type: "..."} }'
_MERGE = (
    'MERGE CONCEPT ?x INTO ?y WHERE { ?x {type: "...", name: "..."} ?y {type: "...", name: "..."} }'
)
_AGGREGATE = "FIND(COUNT(?x) AS ?n)"

FORMS = {
    "FIND": f"FIND(?x) WHERE {{ {_CONCEPT} }}",
    "WHERE": f"WHERE {{ {_CONCEPT} }}",
    "ATTR": 'ATTR(?x, "key", ?value)',
    "META": 'META(?x, "key", ?value)',
    "FILTER": 'FILTER(?value == "...")',
    "NOT": f"NOT {{ {_LINK} }}",
    "OPTIONAL": f"OPTIONAL {{ {_LINK} }}",
    "UNION": f"UNION {{ {_CONCEPT} }}",
    "CONTAINS": 'CONTAINS(?value, "part")',
    "STARTS_WITH": 'STARTS_WITH(?value, "part")',
    "ENDS_WITH": 'ENDS_WITH(?value, "part")',
    "REGEX": 'REGEX(?value, "pattern")',
    "IN": 'IN(?value, ["...", "..."])',
    "IS_NULL": "IS_NULL(?value)",
    "IS_NOT_NULL": "IS_NOT_NULL(?value)",
    "ORDER": "ORDER BY ?x",
    "BY": "ORDER BY ?x",
    "ASC": "ORDER BY ?x ASC",
    "DESC": "ORDER BY ?x DESC",
    "LIMIT": "LIMIT 10",
    "OFFSET": "OFFSET 10",
    "CURSOR": "CURSOR $cursor",
    "COUNT": _AGGREGATE,
    "COLLECT": _AGGREGATE.replace("COUNT", "COLLECT"),
    "SUM": _AGGREGATE.replace("COUNT", "SUM"),
    "AVG": _AGGREGATE.replace("COUNT", "AVG"),
    "MIN": _AGGREGATE.replace("COUNT", "MIN"),
    "MAX": _AGGREGATE.replace("COUNT", "MAX"),
    "AS": _AGGREGATE,
    "DISTINCT": "FIND(COUNT(DISTINCT ?x) AS ?n)",
    "UPSERT": f"UPSERT {{ CONCEPT @x {{ {_PATTERN} }} }}",
    "CONCEPT": f"CONCEPT @x {{ {_PATTERN} }}",
    "PROPOSITION": 'PROPOSITION @x { (@a, "predicate", @b) }',
    "SET": 'SET ATTRIBUTES {key: "value"}',
    "ATTRIBUTES": 'SET ATTRIBUTES {key: "value"}',
    "PROPOSITIONS": 'SET PROPOSITIONS { ("predicate", @target) }',
    "EXPECT": "EXPECT VERSION 1",
    "VERSION": "EXPECT VERSION 1",
    "WITH": 'WITH METADATA {key: "value"}',
    "METADATA": 'WITH METADATA {key: "value"}',
    "UPDATE": _UPDATE,
    "ADD": "ADD(?x.attributes.key, 1)",
    "MUL": "MUL(?x.attributes.key, 2)",
    "CLAMP": "CLAMP(?x.attributes.key, 0, 1)",
    "COALESCE": "COALESCE(?x.attributes.key, 0)",
    "MERGE": _MERGE,
    "MERGE CONCEPT": _MERGE,
    "INTO": _MERGE,
    "DELETE": f"DELETE CONCEPT {_PATTERN} DETACH",
    "DELETE CONCEPT": f"DELETE CONCEPT {_PATTERN} DETACH",
    "DELETE PROPOSITIONS": f"DELETE PROPOSITIONS WHERE {{ {_LINK} }}",
    "DELETE ATTRIBUTES": f'DELETE ATTRIBUTES {{"key"}} WHERE {{ {_CONCEPT} }}',
    "DELETE METADATA": f'DELETE METADATA {{"key"}} WHERE {{ {_CONCEPT} }}',
    "DETACH": f"DELETE CONCEPT {_PATTERN} DETACH",
    "FROM": f'DELETE ATTRIBUTES {{"key"}} FROM ?x WHERE {{ {_CONCEPT} }}',
    "DESCRIBE": "DESCRIBE PRIMER",
    "PRIMER": "DESCRIBE PRIMER",
    "DOMAINS": "DESCRIBE DOMAINS",
    "TYPES": "DESCRIBE CONCEPT TYPES",
    "TYPE": 'DESCRIBE CONCEPT TYPE "..."',
    "DESCRIBE CONCEPT": "DESCRIBE CONCEPT TYPES",
    "DESCRIBE PROPOSITION": "DESCRIBE PROPOSITION TYPES",
    "PROPOSITION TYPE": 'DESCRIBE PROPOSITION TYPE "..."',
    "SEARCH": 'SEARCH "words"',
    "SEARCH CONCEPT": 'SEARCH CONCEPT "words"',
    "SEARCH PROPOSITION": 'SEARCH PROPOSITION "words"',
    "MODE": 'SEARCH "words" MODE "hybrid"',
    "THRESHOLD": 'SEARCH "words" THRESHOLD 0.5',
    "WITH TYPE": 'SEARCH "words" WITH TYPE "..."',
    "EXPORT": f"EXPORT ?x WHERE {{ {_CONCEPT} }}",
    "EXPLAIN": f"EXPLAIN FIND(?x) WHERE {{ {_CONCEPT} }}",
}

BEGINNINGS = f"begin with {', '.join(STATEMENTS[:-1])} or {STATEMENTS[-1]}"


def form_at(tokens: Tokens, at: int) -> str:
    """Return the form of the construct that token `at` stands in: of the last keyword up to it."""
    texts = tokens.texts
    for place in range(at, -1, -1):
        if texts[place] in KEYWORDS:
            two_words = f"{texts[place - 1]} {texts[place]}" if place else ""
            return FORMS.get(two_words) or FORMS[texts[place]]
    return ""

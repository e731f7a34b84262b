"""Names for blank nodes, which have none: made of what a file says of them.

The rule: the same file gives the same names. Nodes of which the same is said are told apart by
their order.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import orjson

from recollect.integrations.exchange.rdf_parsing import RdfTriple
from recollect.integrations.exchange.rdf_terms import BLANK, RdfLiteral

_ROUNDS: Final = 32  # of looking one step further; each costs every triple of a blank node
_DIGITS: Final = 32


def blank_names(triples: Sequence[RdfTriple]) -> Mapping[str, str]:
    """Return the name of each blank node, `_:` and a hash. Cost: up to 32 times the triples."""
    about = [one for one in triples if _is_blank(one.subject) or _is_blank(one.object)]
    nodes = [end for one in about for end in (one.subject, one.object) if _is_blank(end)]
    colours = {str(node): "" for node in nodes}
    classes = 1
    for _ in range(_ROUNDS if colours else 0):
        colours = _finer(about, colours)
        found = len(set(colours.values()))
        if found == classes:
            break
        classes = found
    met: Counter[str] = Counter()
    names: dict[str, str] = {}
    for node, colour in colours.items():
        met[colour] += 1
        names[node] = BLANK + _hash([colour, met[colour]])
    return names


def _finer(triples: Sequence[RdfTriple], colours: Mapping[str, str]) -> dict[str, str]:
    """Return colours that also tell what stands around a node, in either direction."""
    around: dict[str, list[str]] = defaultdict(list)
    for one in triples:
        start = colours.get(one.subject, one.subject)
        match one.object:
            case RdfLiteral(text, language, datatype):
                end = _hash([text, language, datatype])
            case node:
                end = colours.get(node, node)
                if node in colours:
                    around[node].append(_hash(["from", start, one.predicate]))
        if one.subject in colours:
            around[one.subject].append(_hash(["to", one.predicate, end]))
    return {node: _hash([colour, *sorted(around[node])]) for node, colour in colours.items()}


def _is_blank(end: str | RdfLiteral) -> bool:
    return isinstance(end, str) and end.startswith(BLANK)


def _hash(parts: Sequence[str | int]) -> str:
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:_DIGITS]

"""Tree to text, in one canonical layout.

Its rule: `parse(print_text(tree)) == tree`. Two spaces a level, one clause a line, handles as
`@name`, placeholders as `$name`, paths as `"a"{1,3} | "b"`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never, cast

from recollect.kernel.lang.ast import (
    Clause,
    ConceptBlock,
    ConceptClause,
    DeleteConcept,
    DeleteKeys,
    DeleteLinks,
    DescribeConceptType,
    DescribeConceptTypes,
    DescribeDomains,
    DescribePrimer,
    DescribePropositionType,
    DescribePropositionTypes,
    Explain,
    FilterClause,
    Find,
    Handle,
    Kind,
    LinkBlock,
    LinkClause,
    Node,
    NotClause,
    OptionalClause,
    ReadClause,
    Script,
    Search,
    Section,
    SetLink,
    Statement,
    UnionClause,
    Upsert,
    ValueNode,
    Variable,
)
from recollect.kernel.lang.print_inline import Inline, inline, members

INDENT = "  "
WIDTH = 72  # an object that is longer takes a line for each member
READS = {Section.ATTRIBUTES: "ATTR", Section.METADATA: "META"}
KINDS = {None: "", Kind.CONCEPT: "CONCEPT ", Kind.LINK: "PROPOSITION "}

Lines = list[str]


def print_text(tree: Node) -> str:
    """Return the text of a script, or of any part of a tree, without a newline at its end.

    Comments are not part of a tree and are not printed. Parsing the text of a script gives
    the same tree again.

    >>> from recollect.kernel.lang.parser import parse
    >>> print(print_text(parse('FIND(?d) WHERE{?d{type:"Drug"}}LIMIT :n')))
    FIND(?d)
    WHERE {
      ?d {type: "Drug"}
    }
    LIMIT $n
    """
    match tree:
        case Script(statements):
            return "\n\n".join("\n".join(_statement(one)) for one in statements)
        case SetLink() | ConceptBlock() | LinkBlock():
            return "\n".join(_part(tree))
        case (
            ConceptClause()
            | LinkClause()
            | ReadClause()
            | FilterClause()
            | NotClause()
            | OptionalClause()
            | UnionClause()
        ):
            return "\n".join(_clause(tree))
    if isinstance(tree, Statement):
        return "\n".join(_statement(tree))
    return inline(cast(Inline, tree))


def _statement(node: Statement) -> Lines:
    match node:
        case Find():
            return _find(node)
        case Upsert(blocks, metadata):
            lines = [line for block in blocks for line in _part(block)]
            return [*_braced("UPSERT", lines), *_object("WITH METADATA", metadata)]
        case DeleteKeys(section, keys, target, where):
            listed = ", ".join(map(inline, keys))
            head = f"DELETE {section.upper()} {{{listed}}}"
            return [head + _target(" FROM", target), *_block("WHERE", where)]
        case DeleteLinks(target, where):
            return ["DELETE PROPOSITIONS" + _target("", target), *_block("WHERE", where)]
        case DeleteConcept(pattern):
            return [f"DELETE CONCEPT {inline(pattern)} DETACH"]
        case Search(kind, term, type_, limit):
            of_type = "" if type_ is None else f" WITH TYPE {inline(type_)}"
            at_most = "" if limit is None else f" LIMIT {inline(limit)}"
            return [f"SEARCH {KINDS[kind]}{inline(term)}{of_type}{at_most}"]
        case DescribePrimer():
            return ["DESCRIBE PRIMER"]
        case DescribeDomains():
            return ["DESCRIBE DOMAINS"]
        case DescribeConceptTypes():
            return ["DESCRIBE CONCEPT TYPES"]
        case DescribeConceptType(type_):
            return [f"DESCRIBE CONCEPT TYPE {inline(type_)}"]
        case DescribePropositionTypes():
            return ["DESCRIBE PROPOSITION TYPES"]
        case DescribePropositionType(predicate):
            return [f"DESCRIBE PROPOSITION TYPE {inline(predicate)}"]
        case Explain(query):
            first, *rest = _statement(query)
            return [f"EXPLAIN {first}", *rest]
        case _:
            assert_never(node)


def _find(node: Find) -> Lines:
    lines = [f"FIND({', '.join(map(inline, node.columns))})", *_block("WHERE", node.where)]
    if node.order_by:
        lines.append(f"ORDER BY {', '.join(map(inline, node.order_by))}")
    if node.limit is not None:
        lines.append(f"LIMIT {inline(node.limit)}")
    if node.offset is not None:
        lines.append(f"OFFSET {inline(node.offset)}")
    return lines


def _clause(node: Clause) -> Lines:
    match node:
        case ConceptClause(variable, pattern):
            return [_named(variable) + inline(pattern)]
        case LinkClause(variable, pattern):
            return [_named(variable) + inline(pattern)]
        case ReadClause(section, target, key, value):
            return [f"{READS[section]}({inline(target)}, {inline(key)}, {inline(value)})"]
        case FilterClause(expression):
            return [f"FILTER({inline(expression)})"]
        case NotClause(clauses):
            return _block("NOT", clauses)
        case OptionalClause(clauses):
            return _block("OPTIONAL", clauses)
        case UnionClause(clauses):
            return _block("UNION", clauses)
        case _:
            assert_never(node)


def _part(node: ConceptBlock | LinkBlock | SetLink) -> Lines:
    match node:
        case ConceptBlock(handle, pattern, attributes, links, metadata):
            lines = [inline(pattern), *_object("SET ATTRIBUTES", attributes)]
            if links:
                items = [line for link in links for line in _part(link)]
                lines += _braced("SET PROPOSITIONS", items)
            head = _block_head("CONCEPT", handle)
            return [*_braced(head, lines), *_object("WITH METADATA", metadata)]
        case LinkBlock(handle, target, attributes, metadata):
            lines = [inline(target), *_object("SET ATTRIBUTES", attributes)]
            head = _block_head("PROPOSITION", handle)
            return [*_braced(head, lines), *_object("WITH METADATA", metadata)]
        case SetLink(predicate, target, metadata):
            item = f"({inline(predicate)}, {inline(target)})"
            return _object(f"{item} WITH METADATA", metadata) or [item]
        case _:
            assert_never(node)


def _block_head(keyword: str, handle: Handle | None) -> str:
    return keyword if handle is None else f"{keyword} {inline(handle)}"


def _block(keyword: str, clauses: Iterable[Clause]) -> Lines:
    return _braced(keyword, [line for clause in clauses for line in _clause(clause)])


def _object(keyword: str, node: ValueNode | None) -> Lines:
    """Return an object after its keyword, on one line if it is short; nothing for None."""
    if node is None:
        return []
    parts = members(node)
    line = f"{keyword} {inline(node)}"
    if not parts or len(line) <= WIDTH:
        return [line]
    commas = [*(f"{part}," for part in parts[:-1]), parts[-1]]
    return _braced(keyword, commas)


def _braced(keyword: str, lines: Lines) -> Lines:
    if not lines:
        return [f"{keyword} {{}}"]
    return [f"{keyword} {{", *(INDENT + line for line in lines), "}"]


def _named(variable: Variable | None) -> str:
    return "" if variable is None else f"{inline(variable)} "


def _target(keyword: str, target: Variable | None) -> str:
    return "" if target is None else f"{keyword} {inline(target)}"

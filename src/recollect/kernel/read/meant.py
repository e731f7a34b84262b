"""The elements a call means, however it names them: an id, a key, or a FIND of elements.

The rule: an id means one thing, in all the lives that it had under that id.
"""

from __future__ import annotations

from recollect.errors import INVALID_SYNTAX, Hint, ToDo, refused
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.moment import elements_named, identities, lives_by_id, public_ids
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.read.texts import parsed
from recollect.kernel.store.cells import check_parameters
from recollect.kernel.store.port import Session
from recollect.model import CONCEPT_BIT, LINK_BIT, Found, Key, Limits


def elements_meant(
    session: Session,
    catalog: Catalog,
    limits: Limits,
    what: str | tuple[str, ...] | Key | Found,
    *,
    in_all_lives: bool = False,
) -> list[int]:
    """Return the integer ids of the elements meant, ascending.

    With `in_all_lives` a concept brings what it was under its id, of another type. KIP_3002 if
    nothing has the name, INVALID_ARGUMENT for an id that several elements had one after the other,
    KIP_1001 for a text that is not one FIND of elements.
    """
    found = _element_ids(session, catalog, limits, what)
    return _with_lives(session, catalog, found) if in_all_lives else found


def _element_ids(
    session: Session, catalog: Catalog, limits: Limits, what: str | tuple[str, ...] | Key | Found
) -> list[int]:
    if isinstance(what, tuple):
        each = (_element_ids(session, catalog, limits, one) for one in what)
        return sorted({element for found in each for element in found})
    if not isinstance(what, Found):
        found = elements_named(session, catalog.group, catalog.terms, what)
        if len(found) > 1 and isinstance(what, str):
            _refuse_several(session, catalog, what, found)
        return found
    check_parameters(what.parameters, limits.max_depth)
    script = parsed(what.text, limits)
    match script.statements:
        case (ast.Find() as find,):
            reader = Reader(session, catalog, limits, what.as_of)
            return reader.find_ids(find, Bindings(what.parameters))
        case _:
            raise INVALID_SYNTAX.error(
                "the text is not one FIND", 'write FIND(?x) WHERE { ?x {type: "..."} }'
            )


def _with_lives(session: Session, catalog: Catalog, found: list[int]) -> list[int]:
    """Return elements with the concepts that they were before they were born anew."""
    group = catalog.group
    concepts = [one for one in found if one & LINK_BIT == CONCEPT_BIT]
    lives = lives_by_id(session, group, [*public_ids(session, group, concepts).values()])
    others = {one for held in lives.values() for one in held}.difference(concepts)
    if not others:
        return found
    keys = identities(session, group, catalog.terms, [*concepts, *others])
    names = {one.name for id, one in keys.items() if id not in others and isinstance(one, Key)}
    former = (one for one in others if isinstance(key := keys.get(one), Key) and key.name in names)
    return sorted({*found, *former})


def _refuse_several(session: Session, catalog: Catalog, id: str, found: list[int]) -> None:
    """Raise INVALID_ARGUMENT for an id of several concepts, or of a concept and a link.

    Links with one id are one: a merge moves a link under its id. So are concepts of one name: one
    was born anew as the other.
    """
    named = identities(session, catalog.group, catalog.terms, found).values()
    keys = list(dict.fromkeys(one for one in named if isinstance(one, Key)))
    told = [f'{{type: "{one.type}", name: "{one.name}"}}' for one in keys]
    is_mixed = not all(isinstance(one, Key) for one in named)
    if is_mixed:
        told.append("a link")
    if (is_mixed and keys) or len({one.name for one in keys}) > 1:
        raise refused(
            f'the id "{id}" is, or was, that of {" and of ".join(told)}',
            Hint(
                f"name one of them: Key({keys[0].type!r}, {keys[0].name!r})",
                ToDo.NAME_BY_KEY,
                keys[0].type,
                keys[0].name,
            ),
        )

"""The elements a call means, however it names them: an id, a key, or a FIND of elements.

The rule: an id means one thing, in all the lives that it had under that id.
"""

from __future__ import annotations

from recollect.errors import INVALID_ARGUMENT, INVALID_SYNTAX, Hint, RecollectError, ToDo
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings, check_parameters
from recollect.kernel.read.named import elements_named, identities
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.read.texts import parsed
from recollect.kernel.store.protocol import Session
from recollect.model import Found, Key, Limits


def elements_meant(
    session: Session, catalog: Catalog, limits: Limits, what: str | Key | Found
) -> list[int]:
    """Return the integer ids of the elements meant, ascending.

    KIP_3002 if nothing has the name, INVALID_ARGUMENT for an id that several elements had one after
    the other, KIP_1001 for a text that is not one FIND of elements.
    """
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
            return reader.found(find, Bindings(what.parameters))
        case _:
            raise RecollectError(
                INVALID_SYNTAX,
                "the text is not one FIND",
                hint='write FIND(?x) WHERE { ?x {type: "..."} }',
            )


def _refuse_several(session: Session, catalog: Catalog, id: str, found: list[int]) -> None:
    """Raise INVALID_ARGUMENT for an id of several concepts, or of a concept and a link.

    Links with one id are one: a merge moves a link under its id.
    """
    named = identities(session, catalog.group, catalog.terms, found).values()
    keys = list(dict.fromkeys(one for one in named if isinstance(one, Key)))
    told = [f'{{type: "{one.type}", name: "{one.name}"}}' for one in keys]
    if not all(isinstance(one, Key) for one in named):
        told.append("a link")
    if len(told) > 1:
        raise RecollectError(
            INVALID_ARGUMENT,
            f'the id "{id}" is, or was, that of {" and of ".join(told)}',
            hint=Hint(
                f"name one of them: Key({keys[0].type!r}, {keys[0].name!r})",
                ToDo.NAME_BY_KEY,
                keys[0].type,
                keys[0].name,
            ),
        )

"""The elements a call means, however it names them: an id, a key, or a FIND of elements."""

from __future__ import annotations

from recollect.errors import INVALID_SYNTAX, RecollectError
from recollect.kernel.lang import ast, parse
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.plan.parameters import check_parameters
from recollect.kernel.read.named import elements_named
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.store.protocol import Session
from recollect.model import Found, Key, Limits


def elements_meant(
    session: Session, catalog: Catalog, limits: Limits, what: str | Key | Found
) -> list[int]:
    """Return the integer ids of the elements meant, ascending.

    KIP_3002 for a name of nothing, KIP_1001 for a text that is not one FIND of elements.
    """
    if not isinstance(what, Found):
        return elements_named(session, catalog.group, catalog.terms, what)
    check_parameters(what.parameters, limits.max_depth)
    script = parse(what.text, max_length=limits.max_length, max_depth=limits.max_depth)
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

"""The functions that a server or a command lets models call, named by where they are in Python.

The rule: nothing runs but what whoever starts the server names.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from recollect.errors import RecollectError, refused
from recollect.faces.markup import Functions


def load_functions(place: str | None) -> Functions:
    """Return the `Functions` at `package.module:NAME`; none are registered without a place.

    Modules of the current folder are found too. INVALID_ARGUMENT for a place without any.
    """
    if place is None:
        return Functions()
    module, colon, name = place.partition(":")
    if not module or not colon or not name:
        raise _refused(f"{place!r:.80} names no functions")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as error:
        raise _refused(f"{module} cannot be imported: {error}") from error
    if not isinstance(found, Functions):
        raise _refused(f"{place} is no recollect.faces.markup.Functions")
    return found


def _refused(message: str) -> RecollectError:
    return refused(message, "pass --functions package.module:FUNCTIONS")

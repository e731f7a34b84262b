"""The KIP request face: one call in, one JSON object out, never an exception for bad input."""

from recollect.faces.kip.capsules import (
    STARTERS,
    begin_life,
    export_capsules,
    import_capsules,
    load_capsules,
    read_capsules,
    starter_capsule,
    write_capsules,
)
from recollect.faces.kip.changes import read_changes
from recollect.faces.kip.execute import (
    answer_kip,
    execute_kip,
    execute_kip_readonly,
    handle_tool_call,
    tool_definitions,
)
from recollect.faces.kip.identity import Identity, identity_of, set_identity
from recollect.faces.kip.response import Response
from recollect.faces.kip.undoing import undo_changes
from recollect.kernel import syntax_card

__all__ = [
    "STARTERS",
    "Identity",
    "Response",
    "answer_kip",
    "begin_life",
    "execute_kip",
    "execute_kip_readonly",
    "export_capsules",
    "handle_tool_call",
    "identity_of",
    "import_capsules",
    "load_capsules",
    "read_capsules",
    "read_changes",
    "set_identity",
    "starter_capsule",
    "syntax_card",
    "tool_definitions",
    "undo_changes",
    "write_capsules",
]

"""What an agent's host gives its model besides the syntax card: the function definitions.

Its one rule: the packaged files are the only source; the tool call checks against them too.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import cast

_NAMES = ("execute_kip", "execute_kip_readonly")


def tool_definitions() -> list[dict[str, object]]:
    """Return the function-calling definitions of `execute_kip` and `execute_kip_readonly`.

    Each is `{"type": "function", "function": {"name", "description", "parameters"}}`, with the
    parameters as JSON Schema. The caller may change what it gets.

    >>> [one["function"]["name"] for one in tool_definitions()]
    ['execute_kip', 'execute_kip_readonly']
    """
    return [cast(dict[str, object], json.loads(_definition(name))) for name in _NAMES]


@cache
def _definition(name: str) -> str:
    folder = files("recollect.faces.kip").joinpath("definitions")
    return folder.joinpath(f"{name}.json").read_text("utf-8")

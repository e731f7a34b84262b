"""The parameters of a request, checked once, before a text meets them.

The rule: what passes is JSON that every store can hold, whatever the text does with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.kernel.plan.values import fault, unfit


def check_parameters(values: Mapping[str, object], max_depth: int) -> None:
    """Raise KIP_2003 for what JSON or 64 bits cannot hold, KIP_4002 for what nests too deep.

    >>> check_parameters({"limit": 10, "names": ["Aspirin", None]}, max_depth=2)
    """
    if not isinstance(values, Mapping):
        raise unfit(
            "the parameters", f"no object but what is of type {type(values).__name__}", max_depth
        )
    for name, value in values.items():
        if not isinstance(name, str):
            raise unfit("the parameters", f"a name of type {type(name).__name__}", max_depth)
        if reason := fault(name, max_depth) or fault(value, max_depth):
            shown = name.encode("utf-8", "replace").decode()
            raise unfit(f"parameter {shown}", reason, max_depth)

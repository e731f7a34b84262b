"""The elements that the values of an answer are read from."""

from __future__ import annotations

from recollect.kernel.plan import ir


def owners(plan: ir.Plan) -> tuple[ir.Plain, ...]:
    """Return columns of the elements that the plain values of a plan were read from."""
    return tuple(
        ir.Plain(one.variable, shows_owner=True)
        for one in plan.columns
        if isinstance(one, ir.Plain) and not plan.variables[one.variable].is_element
    )

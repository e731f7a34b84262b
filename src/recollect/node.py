"""How trees, places in a text and changes are declared: frozen, without the cost of freezing.

The rule: nobody changes a node. The type checker refuses it, as of any frozen dataclass; at run
time nothing stands in the way, since a dataclass that is frozen there takes four times as long
to make, and a query makes many hundreds of nodes on its way from text to SQL, a load as many
changes as it has elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["node"]

if TYPE_CHECKING:
    from dataclasses import dataclass as node
else:
    from dataclasses import dataclass

    def node(*, frozen: bool, slots: bool, eq: bool = True) -> object:
        """Declare a class as `dataclass` does; it can be hashed where it can be compared."""
        assert frozen
        return dataclass(slots=slots, eq=eq, unsafe_hash=eq)

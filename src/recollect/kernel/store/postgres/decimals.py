"""How a number of Python is sent: as the decimal that it is compared as.

The rule: it is exact where whole numbers of 64 bits could be equal to it, as `value_of` has it.
"""

from __future__ import annotations

_FROM, _BELOW = 2.0**53, 2.0**63


def decimal(number: float) -> str:
    """Return the digits of a double that the server takes for it.

    >>> decimal(0.1), decimal(1.2345678901234568e18)
    ('0.1', '1234567890123456768')
    """
    if _FROM <= abs(number) < _BELOW or number == -_BELOW:
        return str(int(number))
    return repr(number)

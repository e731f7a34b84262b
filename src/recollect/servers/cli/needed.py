"""Commands that need packages of an extra say which one, before they do anything."""

from __future__ import annotations

from importlib.util import find_spec

from recollect.errors import INVALID_ARGUMENT, RecollectError, install


def require(package: str, extra: str, what: str) -> None:
    """Raise INVALID_ARGUMENT where a package of an extra is not installed."""
    if find_spec(package) is None:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{what} needs the package {package}, which is not installed",
            hint=install(extra),
        )

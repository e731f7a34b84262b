"""What a server asks of a request before it reads one, whoever sent it.

The rule: nothing here depends on what the request is for, so every server that speaks HTTP uses it.
"""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers

from recollect.errors import PERMISSION_DENIED, UNAVAILABLE, refused

BODY_BYTES: Final = 64 * 2**20
"""Of all bodies that a server holds at once."""


def check_page(headers: Headers, *, is_followed: bool = False) -> None:
    """Raise PERMISSION_DENIED for what a browser sends for a page of another origin.

    A person who follows a link from there may be let in, with `is_followed`.
    A request with two Host headers is INVALID_ARGUMENT: whatever stands before the server may
    have read the other one.
    """
    if len(headers.getlist("host")) > 1:
        raise refused("the request has two Host headers", "send one Host header")
    origin = headers.get("origin")
    is_foreign = origin is not None and origin.partition("://")[2] != headers.get("host")
    is_across = headers.get("sec-fetch-site") == "cross-site" and not is_followed
    if is_foreign or is_across:
        raise PERMISSION_DENIED.error(
            "a page of another origin may not ask this server", "ask from a program"
        )


class Bodies:
    """Bounds the bytes of all bodies that are read or wait at once; used from one event loop."""

    def __init__(self, most: int = BODY_BYTES) -> None:
        self._most = most
        self._held = 0

    def take(self, headers: Headers, largest: int) -> int:
        """Hold room for the body of a request, and return how many bytes that are.

        They are to be given back when it is answered. A body that does not tell its size counts
        as `largest`. UNAVAILABLE where there is no room, before a byte of it is read.
        """
        declared = declared_size(headers)
        if declared is None:
            size = largest if "transfer-encoding" in headers else 0
        else:
            size = min(declared, largest)  # more than that is refused as it comes
        if size and self._held + size > self._most:
            raise UNAVAILABLE.error(
                f"the bodies of other requests hold {self._held} of {self._most} bytes",
                "try again later",
            )
        self._held += size
        return size

    def give_back(self, size: int) -> None:
        """Let others have the room that a body took."""
        self._held -= size


def declared_size(headers: Headers) -> int | None:
    """Return the bytes that a body has as its head says; None where it does not."""
    declared = headers.get("content-length", "")
    return int(declared[:20]) if declared.isdecimal() else None

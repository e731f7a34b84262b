"""The files that pages load: other people's, pinned in a manifest, and a few of our own.

The rule: an address carries the digest of its file, so a browser may keep it for good, and a file
that is not the pinned one is found by a test, never fetched from elsewhere.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request, Response

from recollect.errors import RESOURCE_NOT_FOUND
from recollect.node import dataclass

FOLDER: Final = Path(__file__).parent / "assets"
_TYPES: Final[Mapping[str, str]] = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
_DIGITS: Final = 12
_LEVEL: Final = 9


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, as it is sent."""

    name: str
    media_type: str
    content: bytes
    compressed: bytes
    address: str


@cache
def assets() -> Mapping[str, Asset]:
    """Return the files by name, read once."""
    found = {}
    for path in sorted(FOLDER.iterdir()):
        media_type = _TYPES.get(path.suffix)
        if media_type is None:
            continue
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
        packed = gzip.compress(content, _LEVEL, mtime=0)
        address = f"/assets/{digest}/{path.name}"
        found[path.name] = Asset(path.name, media_type, content, packed, address)
    return found


def address_of(name: str) -> str:
    """Return where a file is."""
    return assets()[name].address


def add_assets(router: APIRouter, headers: Mapping[str, str]) -> None:
    """Add the route of the files."""

    @router.get("/assets/{digest}/{name}", include_in_schema=False)
    async def asset(request: Request, digest: str, name: str) -> Response:
        found = assets().get(name)
        if found is None or found.address != f"/assets/{digest}/{name}":
            raise RESOURCE_NOT_FOUND.error("there is no such file", "open /")
        told = dict(headers) | {
            "cache-control": "public, max-age=31536000, immutable",
            "vary": "accept-encoding",
        }
        if "gzip" in request.headers.get("accept-encoding", ""):
            told["content-encoding"] = "gzip"
            return Response(found.compressed, headers=told, media_type=found.media_type)
        return Response(found.content, headers=told, media_type=found.media_type)

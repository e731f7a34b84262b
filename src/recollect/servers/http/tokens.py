"""Bearer tokens: each is valid for some groups, or for all of them.

The rule: only a hash is kept, and a token is compared with every hash, each in constant time. A
token has 256 random bits, so that a hash without salt gives nothing away.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

import orjson

from recollect.errors import STORE_UNAVAILABLE, refused
from recollect.faces.operations import Caller
from recollect.node import dataclass

PREFIX = "rct_"
"""What every token begins with, so that one that leaked is recognised."""

_BYTES = 32
_MEMBERS = {"sha256", "groups", "admin"}
_NAME = "name"
_NAME_LENGTH = 128


@dataclass(frozen=True, slots=True)
class TokenRow:
    """The row kept for a token; `groups` is None if it is valid for every group.

    `name` is who the bearer is, if known: it is recorded as the actor of what the bearer writes in
    KIP and does with claims.
    """

    sha256: str
    groups: tuple[str, ...] | None
    is_admin: bool
    name: str | None = None

    @property
    def caller(self) -> Caller:
        """Who comes with the token; its groups are spelled as those that are asked for."""
        if self.groups is None:
            return Caller(None, self.is_admin, self.name)
        groups = frozenset(unicodedata.normalize("NFC", one) for one in self.groups)
        return Caller(groups, self.is_admin, self.name)

    def line(self) -> str:
        """Return the row as a line of a file of tokens."""
        groups = None if self.groups is None else list(self.groups)
        members = {"sha256": self.sha256, "groups": groups, "admin": self.is_admin}
        named = {} if self.name is None else {_NAME: self.name}
        return orjson.dumps(members | named).decode()


@dataclass(frozen=True, slots=True)
class AccessTokens:
    """The tokens that a server takes; without one, everybody may do everything."""

    rows: tuple[TokenRow, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rows)

    def caller(self, token: str) -> Caller | None:
        """Return who comes with a token, None for one that is not known."""
        given, found = digest(token), None
        for row in self.rows:
            if hmac.compare_digest(row.sha256, given):
                found = row.caller
        return found


def new_token(
    groups: Sequence[str], *, is_admin: bool = False, name: str | None = None
) -> tuple[str, TokenRow]:
    """Return a new token and the row to keep of it; without groups it is valid for all of them.

    Raises INVALID_ARGUMENT for a token that is neither bound to a group nor an administrator's, and
    for a name that is not valid.
    """
    if name is not None and not _is_name(name):
        raise refused(
            f"the name is not 1 to {_NAME_LENGTH} printable characters",
            "leave out --name, or shorten it",
        )
    if not groups and not is_admin:
        raise refused("the token is valid for no group", "name one with --group")
    token = PREFIX + secrets.token_urlsafe(_BYTES)
    return token, TokenRow(digest(token), tuple(groups) or None, is_admin, name)


def digest(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def read_tokens(path: Path) -> AccessTokens:
    """Return the tokens of a file: one row as JSON on each line, `#` begins a comment.

    Raises STORE_UNAVAILABLE for a file that cannot be read, INVALID_ARGUMENT for one that holds no
    token, or a line that is not one.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise STORE_UNAVAILABLE.error(
            f"the tokens in {path} cannot be read: {reason}",
            f"recollect token new --group NAME --tokens {path}",
        ) from error
    rows = tuple(_rows(path, lines))
    if not rows:
        raise refused(f"{path} holds no token", f"recollect token new --group NAME --tokens {path}")
    return AccessTokens(rows)


def _rows(path: Path, lines: Iterable[str]) -> Iterable[TokenRow]:
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                yield _row(orjson.loads(line))
            except (orjson.JSONDecodeError, ValueError) as error:
                raise refused(
                    f"line {number} of {path} is not a token: {error}",
                    "write what `recollect token new` prints",
                ) from error


def _row(members: object) -> TokenRow:
    if not isinstance(members, dict) or set(members) - {_NAME} != _MEMBERS:
        raise ValueError("it has not exactly the members sha256, groups and admin")
    name = members.get(_NAME)
    if name is not None and not _is_name(name):
        raise ValueError(f"name is not 1 to {_NAME_LENGTH} printable characters")
    sha256, groups, is_admin = members["sha256"], members["groups"], members["admin"]
    if not isinstance(sha256, str) or len(sha256) != 64 or set(sha256) - set("0123456789abcdef"):
        raise ValueError("sha256 is not 64 hexadecimal digits")
    if not isinstance(is_admin, bool):
        raise ValueError("admin is neither true nor false")
    if groups is None and is_admin:
        return TokenRow(sha256, None, is_admin, name)
    if not isinstance(groups, list) or not groups or not all(isinstance(g, str) for g in groups):
        raise ValueError("groups is not a list of names")
    return TokenRow(sha256, tuple(cast("list[str]", groups)), is_admin, name)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= _NAME_LENGTH and value.isprintable()

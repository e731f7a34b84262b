"""Who looks at the pages: a session, kept by the browser in a cookie that nobody can forge.

The rule: the server keeps nothing of a session, so every process of it knows all of them. A cookie
holds the hash of the bearer token that it was begun with, never the token; once the row of the
token is gone, so is the session. What changes something needs a second token, which a page of this
origin alone can read.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from typing import Final

from recollect.faces.operations import EVERYONE, Caller
from recollect.node import dataclass
from recollect.servers.http.tokens import AccessTokens, digest

COOKIE: Final = "recollect_studio"
LASTING_SECONDS: Final = 12 * 3600


@dataclass(frozen=True, slots=True)
class Sessions:
    """Begins sessions and knows them again."""

    secret: bytes
    tokens: AccessTokens

    def begun(self, token: str | None = None) -> str:
        """Return the cookie of a new session, of the bearer of a token if one is given."""
        held = "" if token is None else digest(token)
        said = f"{held}.{int(time.time()) + LASTING_SECONDS}.{secrets.token_urlsafe(16)}"
        return f"{said}.{self._signature('session', said)}"

    def knows(self, cookie: str) -> bool:
        """Whether a cookie was made here and has not ended."""
        said, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(
            signature.encode("utf-8", "replace"), self._signature("session", said).encode()
        ):
            return False
        return int(said.split(".")[1]) > time.time()

    def caller(self, cookie: str) -> Caller | None:
        """Return who has a session that is known here; None where a token is still needed."""
        if not self.tokens:
            return EVERYONE
        held = cookie.partition(".")[0]
        for row in self.tokens.rows:
            if held and hmac.compare_digest(row.sha256, held):
                return row.caller
        return None

    def change_token(self, cookie: str) -> str:
        """Return what a change must carry beside the cookie of its session."""
        return self._signature("change", cookie)

    def allows(self, cookie: str, token: str) -> bool:
        """Whether a change carries the token of its session."""
        wanted = self.change_token(cookie)
        return hmac.compare_digest(wanted.encode(), token.encode("utf-8", "replace"))

    def _signature(self, purpose: str, said: str) -> str:
        text = f"{purpose}:{said}".encode("utf-8", "replace")
        return hmac.new(self.secret, text, hashlib.sha256).hexdigest()

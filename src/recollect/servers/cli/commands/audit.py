"""`recollect audit`: whether the log of a memory was tampered with."""

from __future__ import annotations

from typing import Annotated

from recollect.servers.cli.options import Invocation, option
from recollect.servers.cli.usage import noun

app = noun(
    "audit",
    "Check that nothing was changed behind the log's back, and print its head.",
    default="verify",
)


@app.verb("verify", "db", "group", "json")
def verify_log(
    on: Invocation,
    head: Annotated[str | None, option("--head", "HEAD", "What an earlier audit printed.")] = None,
) -> None:
    """Compute the log again and print its head; exit with 1 when something was changed."""
    from recollect.servers.cli.care import verify_log

    verify_log(on, head)

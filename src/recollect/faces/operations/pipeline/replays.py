"""Idempotency keys: what the first call under a key was answered, later ones are answered too."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from recollect.faces.operations import limits
from recollect.faces.operations.outputs import Answered
from recollect.faces.operations.pipeline.ports import Clock, system_clock
from recollect.kernel import Nexus
from recollect.model import Instant, Value


class KeptReplays:
    """Keeps answers in the memory itself, in the transaction of the call; implements `Replays`."""

    def __init__(self, clock: Clock = system_clock) -> None:
        self._clock = clock

    def once(
        self, nexus: Nexus, operation: str, key: str, payload: bytes, run: Callable[[], Answered]
    ) -> Answered:
        """Run and remember, or return what the first call with the same payload was answered.

        A call that fails is not remembered, nor one that erases. CONFLICT for another payload
        under the same key.
        """
        with nexus.transaction():
            now = self._clock()
            kept = nexus.answers.find(operation, key, payload, now)
            if kept is not None:
                return cast(Answered, tuple(cast("list[Value]", kept.answer)))
            before = nexus.answers.standing()
            status, output = run()
            answer: Value = [status, cast("dict[str, Value]", dict(output))]
            until = Instant(now + limits.KEY_SECONDS * 1_000)
            nexus.answers.keep(operation, key, payload, answer, now=now, until=until, after=before)
        return status, output

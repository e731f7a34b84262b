"""The operations as methods: the one class that a program, a server and a test call.

The rule: a method takes the fields of its input as keyword arguments and returns an envelope;
nothing that is sent raises.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import orjson

from recollect.closing import Closing
from recollect.errors import RecollectError, refused
from recollect.faces.operations import limits
from recollect.faces.operations.catalogue import OPERATIONS, ServiceOperation
from recollect.faces.operations.context import (
    EVERYONE,
    ByMeaning,
    Caller,
    Context,
    Observation,
    Observer,
    Policy,
    SemanticLeg,
    Tally,
    unobserved,
    unwatched,
)
from recollect.faces.operations.envelope import (
    checked,
    code_of,
    failure,
    named_key,
    named_request,
    success,
    unknown_operation,
)
from recollect.faces.operations.methods import Methods
from recollect.faces.operations.outputs import Answered, Envelope
from recollect.faces.operations.pipeline import (
    Extractor,
    KeptReplays,
    Pipeline,
    StructuredExtractor,
    Watcher,
    Work,
    Worker,
)
from recollect.faces.operations.pipeline.ports import Clock, system_clock
from recollect.kernel import Nexus

_OPAQUE = frozenset({"attributes", "qualifiers"})
"""Fields whose members are the caller's own, nulls among them."""


class Operations(Closing, Methods[Envelope]):
    """A knowledge service on a memory: it remembers what is told, learns from it, and finds it.

    What it accepts is learnt from by a worker of its own, which begins with the first item and
    ends with `close()`, the end of `with`, or `nexus.close()`. With `worker=False` all of it waits
    for another process. Safe to share between threads, as the nexus is.

    >>> operations = Operations(Nexus.open(":memory:"))
    >>> operations.healthcheck()["output"]
    {'status': 'healthy'}
    """

    def __init__(
        self,
        nexus: Nexus,
        *,
        policy: Policy | None = None,
        caller: Caller = EVERYONE,
        extractor: Extractor | None = None,
        worker: bool = True,
        threads: int = 1,
        semantic: SemanticLeg | None = None,
        observer: Observer = unobserved,
        watcher: Watcher = unwatched,
        clock: Clock = system_clock,
    ) -> None:
        """Make the service; `threads` is how many groups its worker works on at once."""
        policy = policy or Policy()
        work = Work(extractor or StructuredExtractor(), policy=policy, clock=clock, watcher=watcher)
        self._worker = Worker(nexus, work, threads=threads) if worker else None
        self._context = Context(
            nexus=nexus,
            policy=policy,
            caller=caller,
            ingestion=Pipeline(self.start),
            replays=KeptReplays(clock),
            semantic=semantic or ByMeaning(),
        )
        self._observer = observer

    def on_behalf_of(self, caller: Caller) -> Operations:
        """Return the same service, with the same worker, for a caller with groups of its own."""
        context, other = self._context, Operations.__new__(Operations)
        other._context, other._observer = replace(context, caller=caller), self._observer
        other._worker = self._worker
        return other

    def start(self) -> None:
        """Let the worker look at the queue now, whether or not anything is accepted."""
        if self._worker is not None:
            self._worker.start().wake()

    def close(self, seconds: float | None = None) -> bool:
        """End the worker, for every copy, and return whether it ended within `seconds`.

        The steps that are running end first. What is not done stays in the queue, and so does
        what is accepted afterwards. Closing twice is the same as once.
        """
        return self._worker is None or self._worker.stop(seconds)

    @property
    def is_working(self) -> bool:
        """Whether its worker works, if it has one."""
        return self._worker is None or self._worker.is_running

    def call(
        self,
        name: object,
        input: object,
        *,
        request_id: object = None,
        idempotency_key: object = None,
    ) -> Envelope:
        """Run the operation of that name with an input as it was received.

        The answer is `output`, or `error` with a code of `envelope.OWN_CODES`. Specification
        004, section 3.
        """
        started = time.perf_counter()
        named, cause, accepted, tally = "", None, 0, Tally()
        try:
            named = named_request(request_id)
            key = named_key(idempotency_key)
            operation = OPERATIONS.get(name) if isinstance(name, str) else None
            if operation is None:
                raise unknown_operation(name, OPERATIONS)
            status, output = self._run(operation, input, named, key, tally)
            envelope = success(named, status, output)
            accepted = cast(int, output.get("accepted", 0))
        except RecollectError as error:
            envelope = failure(named or named_request(None), error)
            cause = error.code.code if code_of(error) is not error.code else None
        self._observer(
            Observation(
                operation=str(name),
                request_id=envelope["request_id"],
                groups=_groups(input),
                status=envelope["status"],
                error_code=envelope["error"]["error_code"] if "error" in envelope else None,
                seconds=time.perf_counter() - started,
                accepted=accepted,
                cause=cause,
                embedding_failures=tally.embedding_failures,
            )
        )
        return envelope

    def _run(
        self,
        operation: ServiceOperation,
        given: object,
        request_id: str,
        key: str | None,
        tally: Tally,
    ) -> Answered:
        if not isinstance(given, Mapping):
            raise refused("the input is not an object", "send { } for no fields")
        fields = checked(operation.adapter, given)
        context = replace(self._context, request_id=request_id, tally=tally)
        if key is None or not operation.is_write:
            return operation.run(context, fields)
        group = cast("Mapping[str, str]", fields)["group_id"]
        meant = orjson.dumps(_meant(fields), option=orjson.OPT_SORT_KEYS)
        payload = hashlib.sha256(meant).digest()
        return context.replays.once(
            context.group(group),
            operation.name,
            key,
            payload,
            lambda: operation.run(context, fields),
        )


def _meant(given: object) -> object:
    """Return an input without the nulls that say the same as leaving a field out."""
    match given:
        case dict():
            return {
                key: value if key in _OPAQUE else _meant(value)
                for key, value in given.items()
                if value is not None
            }
        case list():
            return [_meant(one) for one in given]
        case _:
            return given


def _groups(given: object) -> tuple[str, ...]:
    """Return the groups an input names, as far as it can be read."""
    if not isinstance(given, Mapping):
        return ()
    several = given.get("group_ids")
    named = several if isinstance(several, list) else [given.get("group_id")]
    return tuple(one for one in named if isinstance(one, str) and len(one) <= limits.UUID)

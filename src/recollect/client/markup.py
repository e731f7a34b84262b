"""Knowing Markup on a server, as the face in this process has it.

The rule: a model and the functions of this process stay here; whoever asks a model answers with
its text. What a server cannot be asked, an instant of the past or a counter of one's own, is
refused before anything is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from recollect.client.calls import AsyncFaceClient, FaceClient, Remote, awaited, sent
from recollect.errors import refused
from recollect.faces.markup import Document, Markup as Local
from recollect.faces.markup.calls import MarkupCalls
from recollect.faces.markup.checking import check
from recollect.faces.markup.exchanges import Exchanges as LocalExchanges
from recollect.faces.markup.messages import print_text
from recollect.faces.markup.runner import Runner as LocalRunner
from recollect.faces.markup.wire import from_wire


def _then(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a reading call: of the past only a transaction can be named."""
    fields = dict(given)
    as_of = fields.pop("as_of", None)
    if fields.pop("counter", None) is not None:
        raise refused(
            "a counter cannot be sent to a server",
            "leave counter out: a budget is counted as a third of the bytes",
        )
    if as_of is not None:
        if as_of.transaction is None or as_of.valid is not None:
            raise refused("as_of names no transaction", "pass as_of=AsOf(transaction=3)")
        fields["transaction"] = as_of.transaction
    return fields


def _begun(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a request: a document goes as its text."""
    fields = dict(given)
    if isinstance(fields.get("data"), Document):
        fields["data"] = print_text(fields["data"])
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()
    }


def _renamed(name: str) -> Any:  # noqa: ANN401 - a function of fields
    """Return what gives the id of a run the name that its calls have."""

    def written(given: Mapping[str, Any]) -> dict[str, Any]:
        return {"id" if key == name else key: value for key, value in given.items()}

    return written


class RemoteExchanges:
    """The exchanges of a group on a server."""

    def __init__(self, remote: Remote) -> None:
        self.remote = remote

    begin = sent(LocalExchanges.begin, "begin", from_wire, written=_begun)
    answer = sent(LocalExchanges.answer, "answer", from_wire)
    get = sent(LocalExchanges.get, "exchange", from_wire)
    list = sent(LocalExchanges.list, "exchanges", from_wire, member="exchanges")


class RemoteRunner:
    """The workflow runs of a group on a server."""

    def __init__(self, remote: Remote) -> None:
        self.remote = remote

    start = sent(LocalRunner.start, "start", from_wire)
    reply = sent(LocalRunner.reply, "reply", from_wire, written=_renamed("run"))
    resume = sent(LocalRunner.resume, "resume", from_wire, written=_renamed("run"))
    skip = sent(LocalRunner.skip, "skip", from_wire, written=_renamed("run"))
    cancel = sent(LocalRunner.cancel, "cancel", from_wire, written=_renamed("run"))
    get = sent(LocalRunner.get, "run", from_wire, written=_renamed("run"))
    list = sent(LocalRunner.list, "runs", from_wire, member="runs")


class Markup(FaceClient):
    """Knowing Markup of one group on a server."""

    prefix = "/v1/markup"
    face = MarkupCalls

    apply = sent(Local.apply, "apply", from_wire)
    load = sent(Local.load, "load", from_wire)
    render = sent(Local.render, "document", from_wire, written=_then)
    spaces = sent(Local.spaces, "spaces", from_wire, member="spaces", written=_then)
    places = sent(Local.places, "places", from_wire, member="places", written=_then)
    set_read_only = sent(Local.set_read_only, "read_only", from_wire, member="transaction")
    restore = sent(Local.restore, "restore", from_wire)
    purge = sent(Local.purge, "purge", from_wire)
    check = staticmethod(check)

    @cached_property
    def exchanges(self) -> RemoteExchanges:
        """The exchanges."""
        return RemoteExchanges(self.remote)

    @cached_property
    def runner(self) -> RemoteRunner:
        """The workflow runs."""
        return RemoteRunner(self.remote)


class _AsyncExchanges:
    def __init__(self, sync: RemoteExchanges) -> None:
        self.sync = sync

    begin = awaited(RemoteExchanges.begin)
    answer = awaited(RemoteExchanges.answer)
    get = awaited(RemoteExchanges.get)
    list = awaited(RemoteExchanges.list)


class _AsyncRunner:
    def __init__(self, sync: RemoteRunner) -> None:
        self.sync = sync

    start = awaited(RemoteRunner.start)
    reply = awaited(RemoteRunner.reply)
    resume = awaited(RemoteRunner.resume)
    skip = awaited(RemoteRunner.skip)
    cancel = awaited(RemoteRunner.cancel)
    get = awaited(RemoteRunner.get)
    list = awaited(RemoteRunner.list)


class AsyncMarkup(AsyncFaceClient[Markup]):
    """The same, to be awaited."""

    kind = Markup

    @cached_property
    def exchanges(self) -> _AsyncExchanges:
        """The exchanges."""
        return _AsyncExchanges(self.sync.exchanges)

    @cached_property
    def runner(self) -> _AsyncRunner:
        """The workflow runs."""
        return _AsyncRunner(self.sync.runner)

    apply = awaited(Markup.apply)
    load = awaited(Markup.load)
    render = awaited(Markup.render)
    spaces = awaited(Markup.spaces)
    places = awaited(Markup.places)
    set_read_only = awaited(Markup.set_read_only)
    restore = awaited(Markup.restore)
    purge = awaited(Markup.purge)
    check = staticmethod(check)

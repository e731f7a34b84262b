"""The commands about a server: it runs until it is stopped, and knows bearer tokens."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import STORE_UNAVAILABLE, refused
from recollect.servers.cli.loading import require
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.wanted import ServeOptions
from recollect.servers.settings import Located, Settings
from recollect.servers.wiring import open_nexus

if TYPE_CHECKING:
    from recollect.servers.http.app import FaceMaker
    from recollect.servers.http.processes import Begun
    from recollect.servers.http.serving import ServingPlan
    from recollect.servers.http.tokens import TokenRow


def serve_memory(on: Invocation, service: ServeOptions) -> None:
    """Open the memory, listen, say where, and serve until SIGTERM or Ctrl-C."""
    settings = Settings()
    with output(on) as out:
        require("fastapi", "server", "the server")
        _serve(settings.database(on.database), settings, service, out)


def _serve(located: Located, settings: Settings, service: ServeOptions, out: Output) -> None:
    from recollect.servers.http.guard import LOOPBACK, Options
    from recollect.servers.http.logs import Form, log_event, log_warning
    from recollect.servers.http.server import check_exposure, is_loopback, listen, url_of
    from recollect.servers.http.serving import ServingPlan, serve_in_processes
    from recollect.servers.http.tokens import AccessTokens, read_tokens
    from recollect.servers.learning import make_learner

    learner = make_learner(settings.learning())
    host, path = settings.host(service.host), settings.tokens(service.tokens)
    tokens = AccessTokens() if path is None else read_tokens(path)
    check_exposure(host, has_tokens=bool(tokens), is_insecure=service.insecure)
    hosts = frozenset((*LOOPBACK, host)) if is_loopback(host) else None
    options = Options(tokens=tokens, hosts=hosts, threads=_threads(service, settings))
    log = Form(service.log)
    check_at = settings.check_at(service.check_at)
    has_worker, functional = not service.no_worker, frozenset(service.functional or ())
    plan = ServingPlan(options, functional, has_worker, log, service.functions, check_at)
    group, count = settings.group(), _processes(service, located)
    # What is wrong with the memory is told before anything is begun.
    with (
        open_nexus(located, group, create=True) as nexus,
        listen(host, settings.port(service.port)) as listener,
    ):
        url = url_of(listener)

        def begun() -> None:
            if out.as_json:
                told = {"url": url, "path": located.shown, "worker": has_worker}
                out.json({"result": {**told, "processes": count}})
            out.say(f"serving {located.shown} at {url}", "green")
            log_event("listening", url=url, processes=count)
            if learner.warning and has_worker:
                log_warning(learner.warning, hint=learner.hint)

        if count == 1:
            from recollect.servers.http.serving import serve_nexus

            serve_nexus(nexus, plan, listener, begun, learner.extractor, _makers())
        else:
            nexus.close()
            serve_in_processes(partial(_open, located, group), plan, listener, count, begun)
        log_event("stopped")


def _open(
    located: Located, group: str, plan: ServingPlan, listener: socket.socket, begun: Begun
) -> None:
    from recollect.servers.http.serving import serve_nexus
    from recollect.servers.learning import make_learner

    extractor = make_learner(Settings().learning()).extractor
    with open_nexus(located, group) as nexus:
        serve_nexus(nexus, plan, listener, begun, extractor, _makers())


def _makers() -> Sequence[FaceMaker]:
    """Return what is served: the studio at `/` where its packages are, else a page about it."""
    from recollect.servers.http.app import FACES
    from recollect.servers.http.front import front_face

    if find_spec("jinja2") is None:
        return FACES
    from recollect.servers.studio import studio_face

    return (*(one for one in FACES if one is not front_face), studio_face)


def _processes(service: ServeOptions, located: Located) -> int:
    """Return how many processes serve: one, unless more are asked for."""
    count = service.processes or 1
    if count > 1 and located.is_alone:
        raise refused(
            f"{located.shown} has no file, and processes share a memory through its file",
            "leave --processes out",
        )
    return count


def _threads(service: ServeOptions, settings: Settings) -> int:
    """Return how many requests are worked on at once: more where they wait for the network."""
    from recollect.servers.http.guard import NETWORK_THREADS, Options

    if service.threads is not None:
        return service.threads
    embedding = settings.embedding()
    waits = embedding is not None and embedding.embedder == "http"
    return NETWORK_THREADS if waits else Options().threads


def make_token(
    groups: Sequence[str],
    tokens_file: Path | None,
    *,
    name: str | None,
    is_admin: bool,
    as_json: bool,
) -> None:
    """Print a new token, once, and the row to keep, or add the row to a file of tokens."""
    from recollect.servers.http.tokens import new_token

    with output(as_json=as_json) as out:
        token, row = new_token(groups, is_admin=is_admin, name=name)
        if tokens_file is not None:
            _append(tokens_file, row)
        kept = None if tokens_file is None else str(tokens_file)
        if out.give_json({"token": token, "row": row.line(), "kept_in": kept}):
            return
        out.say(token, "bold")
        _tell_row(out, row, tokens_file)


def _tell_row(out: Output, row: TokenRow, tokens_file: Path | None) -> None:
    if tokens_file is None:
        out.say(row.line())
        return
    out.say(f"kept in {tokens_file}; the token itself is not kept anywhere", "dim")


def _append(path: Path, row: TokenRow) -> None:
    """Add a row to a file that only its owner reads."""
    try:
        path.touch(mode=0o600, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{row.line()}\n")
    except OSError as error:
        raise STORE_UNAVAILABLE.error(f"{path} cannot be written: {error.strerror}") from error

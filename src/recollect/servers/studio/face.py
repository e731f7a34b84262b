"""The studio as a face of the server: every page behind the same checks.

The rule: a page is made in a thread of the server from what its address says; nothing that changes
a memory runs without the token that only a page of this origin has, and nothing at all in a studio
that only reads.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from recollect.errors import PERMISSION_DENIED, UNAUTHENTICATED, RecollectError
from recollect.faces.operations import Caller
from recollect.node import dataclass, field
from recollect.servers.http.events import Streams
from recollect.servers.http.face import Face, SharedParts, request_id_of
from recollect.servers.http.logs import log_refusal
from recollect.servers.studio.asking import ROUTES as ASKING
from recollect.servers.studio.assets import add_assets
from recollect.servers.studio.care import ROUTES as CARE
from recollect.servers.studio.changing import ROUTES as CHANGING
from recollect.servers.studio.claims import ROUTES as CLAIMS
from recollect.servers.studio.comparing import ROUTES as COMPARING
from recollect.servers.studio.editing import ROUTES as EDITING
from recollect.servers.studio.element import ROUTES as ELEMENT
from recollect.servers.studio.episodes import ROUTES as EPISODES
from recollect.servers.studio.graph import ROUTES as GRAPH
from recollect.servers.studio.home import ROUTES as HOME
from recollect.servers.studio.importing import BODY_BYTES, BRING_IN, ROUTES as IMPORTING, fields_of
from recollect.servers.studio.knowledge_and_markup import ROUTES as KNOWLEDGE_AND_MARKUP
from recollect.servers.studio.rendering import PAGE_HEADERS, SAFE_HEADERS, Pages
from recollect.servers.studio.sessions import COOKIE, LASTING_SECONDS, Sessions
from recollect.servers.studio.visit import GROUP, Answered, Away, Download, Route, StudioPage, Visit
from recollect.servers.studio.working import LastWord

ROUTES: Sequence[Route] = (
    *HOME,
    *ASKING,
    *EDITING,
    *ELEMENT,
    *CHANGING,
    *COMPARING,
    *CLAIMS,
    *GRAPH,
    *EPISODES,
    *KNOWLEDGE_AND_MARKUP,
    *CARE,
    *IMPORTING,
)
"""Every page."""

_SIGN_IN: Final = "/sign-in"
_SIGN_OUT: Final = "/sign-out"
_EVENTS: Final = "/studio/events"
_TOKEN: Final = "token"
_TOKEN_HEADER: Final = "x-recollect-token"

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class StudioDoor:
    """Lets requests in to the pages of one server, and answers them."""

    shared: SharedParts
    sessions: Sessions
    pages: Pages
    is_read_only: bool
    last_word: LastWord = field(default_factory=LastWord)

    async def answer(self, request: Request, route: Route) -> Response:
        """Return the answer to a request for a page."""
        visit: Visit | None = None
        cookie = self._cookie(request)
        try:
            caller = self.caller_of(request)  # before a body is read
            form = await _form(request)
            self._check_change(request, route, cookie, form)
            visit = self._visit(request, caller, form, cookie)
            made = await self.shared.threads.run(lambda: self._made(visit, route))
        except RecollectError as error:
            made = self._refused(request, visit, error)
        if cookie != request.cookies.get(COOKIE):
            _keep(made, cookie)
        return made

    async def sign_in(self, request: Request) -> Response:
        """Begin a session of the bearer of a token, and lead to where it was asked from."""
        try:
            form = await self._signed(request)
            given = form.get("bearer", "").strip()
            if self.sessions.tokens.caller(given) is None:
                raise UNAUTHENTICATED.error("the token is not known here", "paste one that is")
        except RecollectError as error:
            return self._refused(request, None, error)
        answer = Response(status_code=303, headers={"location": _local(form.get("next", "/"))})
        _keep(answer, self.sessions.begun(given))
        return answer

    async def sign_out(self, request: Request) -> Response:
        """End a session."""
        answer = Response(status_code=303, headers={"location": "/"})
        try:
            await self._signed(request)
        except RecollectError as error:
            return self._refused(request, None, error)
        _keep(answer, self.sessions.begun())
        return answer

    async def _signed(self, request: Request) -> Mapping[str, str]:
        """Return a form that carries the token of its session."""
        self.shared.guard.check_visit(request)
        form = await _form(request)
        if not self.sessions.allows(self._cookie(request), form.get(_TOKEN, "")):
            raise _forged()
        return form

    def caller_of(self, request: Request) -> Caller:
        """Return who has the session of a request; UNAUTHENTICATED where a token is needed."""
        self.shared.guard.check_visit(request)
        caller = self.sessions.caller(self._cookie(request))
        if caller is None:
            raise UNAUTHENTICATED.error("this memory is open to who has a token", "sign in")
        return caller

    def _cookie(self, request: Request) -> str:
        """Return the cookie of the session, a new one where there is none."""
        given = request.cookies.get(COOKIE, "")
        if self.sessions.knows(given):
            return given
        made: str | None = getattr(request.state, "new_session", None)
        if made is None:
            made = request.state.new_session = self.sessions.begun()
        return made

    def _check_change(
        self, request: Request, route: Route, cookie: str, form: Mapping[str, str]
    ) -> None:
        if route.method == "POST":
            given = request.headers.get(_TOKEN_HEADER) or form.get(_TOKEN, "")
            if not self.sessions.allows(cookie, given):
                raise _forged()
        if route.writes and self.is_read_only:
            raise PERMISSION_DENIED.error("this studio only reads", "start it without --read-only")

    def _visit(
        self, request: Request, caller: Caller, form: Mapping[str, str], cookie: str
    ) -> Visit:
        query = _query(request)
        service = self.shared.service
        group = query.get(GROUP) or _own_group(caller, service.nexus.group_name)
        caller.check([group])
        return Visit(
            service=service,
            nexus=service.nexus.group(group, request_id=request_id_of(request)),
            caller=caller,
            path=request.url.path,
            places={name: str(value) for name, value in request.path_params.items()},
            query=query,
            form=form,
            change_token=self.sessions.change_token(cookie),
            is_read_only=self.is_read_only,
            has_tokens=bool(self.sessions.tokens),
            host=request.headers.get("host", ""),
            last_word=self.last_word,
        )

    def _made(self, visit: Visit, route: Route) -> Response:
        answered: Answered = route.make(visit)
        match answered:
            case StudioPage(is_told=True):
                pieces = self.pages.pieces(visit, answered)
                return StreamingResponse(
                    pieces, answered.status, PAGE_HEADERS, "text/html; charset=utf-8"
                )
            case StudioPage():
                text = b"".join(self.pages.pieces(visit, answered))
                return Response(text, answered.status, PAGE_HEADERS, "text/html; charset=utf-8")
            case Away():
                headers = PAGE_HEADERS | {"location": answered.address}
                return Response(status_code=303, headers=headers)
            case Download():
                told = dict(PAGE_HEADERS)
                if answered.is_attached:
                    told["content-disposition"] = f'attachment; filename="{answered.name}"'
                return Response(answered.content, 200, told, answered.media_type)

    def _refused(self, request: Request, visit: Visit | None, error: RecollectError) -> Response:
        """Return the page that tells of an error, or the one to sign in at."""
        status = error.code.http
        request_id = request_id_of(request)
        self.shared.metrics.refuse(error.code.code)
        log_refusal(request_id, request.method, status, error.code.code)
        if error.code is UNAUTHENTICATED:
            came = request.url.path if request.method == "GET" else "/"
            query = urlencode(_query(request)) if request.method == "GET" else ""
            shows = {
                "error": None if request.method == "GET" else error,
                "next": f"{came}?{query}" if query else came,
                "change_token": self.sessions.change_token(self._cookie(request)),
            }
            text = self.pages.signing_in(shows)
        else:
            text = self.pages.refusal(visit, error, status)
        answer = Response(
            text.encode("utf-8", "replace"), status, PAGE_HEADERS, "text/html; charset=utf-8"
        )
        if visit is None and (cookie := self._cookie(request)) != request.cookies.get(COOKIE):
            _keep(answer, cookie)
        return answer


def studio_face(shared: SharedParts) -> Face:
    """Return the face: every page, the files they load, and the way in."""
    router = APIRouter(include_in_schema=False)
    options = shared.options
    door = StudioDoor(
        shared, Sessions(options.secret, options.tokens), Pages(), options.is_studio_read_only
    )
    for route in ROUTES:
        router.add_api_route(
            route.path,
            _handler(door, route),
            methods=[route.method],
            include_in_schema=False,
            response_class=Response,
        )
    router.add_api_route(_SIGN_IN, door.sign_in, methods=["POST"], response_class=Response)
    router.add_api_route(_SIGN_OUT, door.sign_out, methods=["POST"], response_class=Response)
    streams = Streams(shared)

    async def events(request: Request) -> Response:
        request.state.caller = door.caller_of(request)
        return await streams.begun(request)

    router.add_api_route(_EVENTS, events, methods=["GET"], response_class=Response)
    add_assets(router, SAFE_HEADERS)
    return Face("", router, bodies={BRING_IN: BODY_BYTES}, is_open=True)


def _handler(door: StudioDoor, route: Route) -> Handler:
    async def handle(request: Request) -> Response:
        return await door.answer(request, route)

    return handle


def _keep(answer: Response, cookie: str) -> None:
    """Let the browser keep a session, for pages of this origin alone."""
    if COOKIE in "".join(answer.headers.getlist("set-cookie")):
        return
    answer.set_cookie(COOKIE, cookie, max_age=LASTING_SECONDS, httponly=True, samesite="strict")


def _own_group(caller: Caller, standing: str) -> str:
    """Return the group to begin with: the server's, else the first of the bearer's."""
    if caller.groups is None or standing in caller.groups:
        return standing
    return min(caller.groups)


def _query(request: Request) -> dict[str, str]:
    return dict(request.query_params.items())


async def _form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form; none of a request that has no body."""
    if request.method != "POST":
        return {}
    return fields_of(request.headers.get("content-type", ""), await request.body())


def _local(address: str) -> str:
    """Return an address of this server; anything else is the first page."""
    is_local = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_local and address.isprintable() and address.isascii() else "/"


def _forged() -> RecollectError:
    return PERMISSION_DENIED.error(
        "the change carries no token of this session", "open the page again and repeat it there"
    )

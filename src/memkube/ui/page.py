"""The frame that all views share: the client of the API, the header with clock and revisions, and error pages."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.security import Sessions, own_path, session_of

CONTROL: Final = "/memkube/v1"
"""Path prefix of the control API."""
REFRESH: Final = "x-memkube-refresh"
"""Header of requests with which the page loads itself again."""
_MOST_FORM_BYTES: Final = 64 * 1024
_MOST_COLUMNS: Final = 6
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
_NOT_FOUND: Final = 404
_GONE: Final = 410
_TITLES: Final = {
    _UNAUTHORIZED: "Log in first",
    _FORBIDDEN: "You may not see this",
    _NOT_FOUND: "Not found",
    _GONE: "This revision is no longer kept",
}


class Link(NamedTuple):
    """A link in the navigation of the page."""

    title: str
    path: str
    """Path below the prefix of the page."""


NAVIGATION: Final = (
    Link("Kinds", "/kinds"),
    Link("Workloads", "/workloads"),
    Link("Nodes", "/nodes"),
    Link("Changes", "/changes"),
)
"""The links in the header. A module with a view of the whole cluster adds one here."""


@dataclass
class Ui:
    """The state of the page of one server."""

    api: ASGIApp
    version: str
    read_only: bool
    templates: Environment
    sessions: Sessions = field(default_factory=Sessions)

    @property
    def agent(self) -> str:
        """The user agent with which the page asks the API."""
        return f"memkube-ui/{self.version}"


class At(NamedTuple):
    """The revision that a view shows."""

    revision: int
    """Revision of the past; 0 for the present."""

    @property
    def is_past(self) -> bool:
        """True if the view shows a revision of the past."""
        return self.revision > 0

    def options(self) -> dict[str, str]:
        """Return the query of a list at this revision."""
        exact = {"resourceVersion": str(self.revision), "resourceVersionMatch": "Exact"}
        return exact if self.is_past else {}


def create_environment() -> Environment:
    """Return the templates, which escape everything that is not marked as HTML."""
    environment = Environment(
        loader=PackageLoader("memkube.ui"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["link"] = link
    environment.globals["query_of"] = query_of
    environment.filters["is_table"] = table_columns
    environment.filters["scalar"] = scalar
    environment.globals["prefix"] = PREFIX
    return environment


def link(path: str, **query: object) -> str:
    """Return the address of a view, without parameters that are empty."""
    given = {name: value for name, value in query.items() if value not in ("", 0, None)}
    return f"{PREFIX}{quote(path)}{'?' + urlencode(given) if given else ''}"


def query_of(request: Request, **changed: object) -> dict[str, object]:
    """Return the parameters of the present view with changed ones, without the place in a longer list."""
    given: dict[str, object] = dict(request.query_params)
    given.pop("continue", None)
    return given | changed


def scalar(value: object) -> str:
    """Return a value that is neither a struct nor a list as YAML writes it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def table_columns(items: Sequence[Any]) -> list[str]:
    """Return the names of the columns in which a list of structs can be shown; none for any other list."""
    if not all(isinstance(item, Mapping) for item in items):
        return []
    names = list(dict.fromkeys(name for item in items for name in item))
    is_flat = all(not isinstance(value, Mapping | list) for item in items for value in item.values())
    return names if is_flat and len(names) <= _MOST_COLUMNS else []


def ui_of(request: HTTPConnection) -> Ui:
    """Return the state of the page that serves a request."""
    ui: Ui = request.app.state.ui
    return ui


def client_of(request: HTTPConnection) -> ApiClient:
    """Return a client of the API for the user of a request."""
    ui = ui_of(request)
    token = ui.sessions.token(session_of(request))
    return ApiClient(ui.api, request.scope, token, ui.agent, read_only=ui.read_only)


def at_of(request: Request) -> At:
    """Return the revision that ``?at=`` names. Raises Refused 400 if it is not a number."""
    text = request.query_params.get("at", "")
    if not text:
        return At(0)
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise Refused(400, f"at={text}: a revision is a number")
    return At(int(text))


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form in the body of a request. Raises Refused 413 if the body is too long."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_FORM_BYTES:
            raise Refused(413, "the form is too long")
    return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))


def number_in(form: Mapping[str, str], name: str, most: float) -> float:
    """Return the number in a field of a form. Raises Refused 400 if it is none, below 0 or above `most`."""
    try:
        number = float(form.get(name, ""))
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise Refused(400, f"{name} must be a number from 0 to {most:g}")
    return number


def done(request: Request) -> Response:
    """Return the answer to a form: for a script 204, for a browser without scripts the view with the form."""
    if "text/html" not in request.headers.get("accept", ""):
        return Response(status_code=204)
    came_from = urlsplit(request.headers.get("referer", ""))
    return RedirectResponse(own_path(came_from.path + (f"?{came_from.query}" if came_from.query else "")), 303)


async def allowed(answer: Awaitable[Any]) -> Any:
    """Return an answer of the API; None if it is refused, for parts of a view that it can do without."""
    try:
        return await answer
    except Refused:
        return None


async def render(request: Request, template: str, status: int = 200, **context: Any) -> Response:
    """Return a view in the frame of the page."""
    ui, client = ui_of(request), client_of(request)
    try:
        at = at_of(request)
    except Refused:
        at = At(0)
    frame = {
        "ui": ui,
        "request": request,
        "navigation": NAVIGATION,
        "path": request.url.path.removeprefix(PREFIX),
        "at": at,
        "clock": await allowed(client.get(f"{CONTROL}/clock")),
        "revisions": await allowed(client.get(f"{CONTROL}/revisions")),
        "change": await _change_at(client, at) if at.is_past else None,
        "has_session": bool(ui.sessions.token(session_of(request))),
    }
    if REFRESH in request.headers:
        # Browsers report each other status in the console, also if a script expects it: an object may be gone.
        status = 200
    return HTMLResponse(ui.templates.get_template(template).render(frame | context), status)


async def _change_at(client: ApiClient, at: At) -> Any:
    """Return the change that made a revision, with the path of the object; None if it is not known."""
    query = {"after": str(at.revision - 1), "until": str(at.revision), "limit": "1"}
    found = await allowed(client.get(f"{CONTROL}/changes", query))
    return found["items"][0] if found and found["items"] else None


async def show_refusal(request: Request, error: Exception) -> Response:
    """Return the page for a request that the API refused; the login form if the server asks for a token."""
    assert isinstance(error, Refused)
    if error.code == _UNAUTHORIZED and request.method == "GET":
        where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(link("/login", next=where), 303)
    if "text/html" not in request.headers.get("accept", ""):
        # Browsers report each other status in the console, also if a script shows the message.
        code = 200 if REFRESH in request.headers else error.code
        return PlainTextResponse(f"{error.message}\n", code)
    title = _TITLES.get(error.code, f"The server answered {error.code}")
    return await render(request, "refusal.html", error.code, title=title, message=error.message)

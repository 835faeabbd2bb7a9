"""Parts that all views share: API client, state of the page, header with clock and revisions, and error pages."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import yaml
from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from memkube.ui import PREFIX
from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.security import Sessions, own_path, session_of

CONTROL: Final = "/memkube/v1"
"""Path prefix of memkube's control API, which controls the clock and reads the history."""
REFRESH: Final = "x-memkube-refresh"
"""Header of requests that a script of the page sends to reload the view."""
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
    """A link in the header of the web page: its text and the view that it opens."""

    title: str
    path: str
    """Path of the view, without the prefix of the web page."""


NAVIGATION: Final = (
    Link("Kinds", "/kinds"),
    Link("Workloads", "/workloads"),
    Link("Nodes", "/nodes"),
    Link("Changes", "/changes"),
    Link("Requests", "/requests"),
    Link("Faults", "/faults"),
    Link("Snapshots", "/snapshots"),
    Link("Scenarios", "/scenarios"),
)
"""Links in the header of the page: the views that show the whole cluster."""


@dataclass
class Ui:
    """What all views of the web page share: the API to call, templates, sessions, and the mode of the page."""

    api: ASGIApp
    version: str
    read_only: bool
    templates: Environment
    hunt_report: Mapping[str, Any] | None = None
    """Report of a hunt, which the page shows instead of the cluster; None for a page of a cluster."""
    sessions: Sessions = field(default_factory=Sessions)

    @property
    def navigation(self) -> Sequence[Link]:
        """Links in the header of the page."""
        return NAVIGATION if self.hunt_report is None else (Link("Findings", "/findings"),)

    @property
    def agent(self) -> str:
        """Value of the User-Agent header in requests that the page sends to the API."""
        return f"memkube-ui/{self.version}"


class At(NamedTuple):
    """The revision that the ``at`` query parameter of a view selects."""

    revision: int
    """A past revision; 0 to show the newest one."""

    @property
    def is_past(self) -> bool:
        """True if the view shows a past revision."""
        return self.revision > 0

    def options(self) -> dict[str, str]:
        """Return the query parameters for a GET of a list at this revision."""
        exact = {"resourceVersion": str(self.revision), "resourceVersionMatch": "Exact"}
        return exact if self.is_past else {}


def create_environment() -> Environment:
    """Return the Jinja environment of the page. It escapes all values that are not marked as HTML."""
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
    environment.filters["as_yaml"] = as_yaml
    environment.globals["prefix"] = PREFIX
    return environment


def link(path: str, **query: object) -> str:
    """Return the URL of a view, without query parameters whose values are empty."""
    given = {name: value for name, value in query.items() if value not in ("", 0, None)}
    return f"{PREFIX}{quote(path)}{'?' + urlencode(given) if given else ''}"


def query_of(request: Request, **changed: object) -> dict[str, object]:
    """Return the query parameters of a request by name, without the continue token.

    The keyword arguments are added, or replace the parameters of these names.
    """
    given: dict[str, object] = dict(request.query_params)
    given.pop("continue", None)
    return given | changed


def as_yaml(document: Any) -> str:
    """Return an object in YAML."""
    text: str = yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
    return text


def scalar(value: object) -> str:
    """Return a string, number, boolean or null as YAML shows it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def table_columns(items: Sequence[Any]) -> list[str]:
    """Return the column names for showing a list as a table; empty if the list cannot be shown as a table.

    A list can be shown as a table if its items are objects with few fields, which contain neither lists nor objects.
    """
    if not all(isinstance(item, Mapping) for item in items):
        return []
    names = list(dict.fromkeys(name for item in items for name in item))
    is_flat = all(not isinstance(value, Mapping | list) for item in items for value in item.values())
    return names if is_flat and len(names) <= _MOST_COLUMNS else []


def ui_of(request: HTTPConnection) -> Ui:
    """Return the object that holds the state of the web page: its sessions, its templates and the API."""
    ui: Ui = request.app.state.ui
    return ui


def client_of(request: HTTPConnection) -> ApiClient:
    """Return a client of the API for the user of a request."""
    ui = ui_of(request)
    token = ui.sessions.token(session_of(request))
    return ApiClient(ui.api, request.scope, token, ui.agent, read_only=ui.read_only)


def at_of(request: Request) -> At:
    """Return the revision in the query parameter ``at``. Raises Refused 400 if it is not a number."""
    text = request.query_params.get("at", "")
    if not text:
        return At(0)
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise Refused(400, f"the parameter at must be the number of a revision, not {text!r}")
    return At(int(text))


async def form_of(request: Request, most_bytes: int = _MOST_FORM_BYTES) -> dict[str, str]:
    """Return the fields of the HTML form in a request's body. Raises Refused 413 if it exceeds `most_bytes`."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most_bytes:
            raise Refused(413, f"the form is too long: the maximum is {most_bytes} bytes")
    return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))


def number_in(form: Mapping[str, str], name: str, most: float) -> float:
    """Return the number in a form field. Raises Refused 400 if it is no number, negative, or greater than `most`."""
    try:
        number = float(form.get(name, ""))
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise Refused(400, f"{name} must be a number from 0 to {most:g}")
    return number


def done(request: Request) -> Response:
    """Return the response after a form of the page was processed.

    A script gets 204. A browser without scripts is redirected to the view that contains the form.
    """
    if "text/html" not in request.headers.get("accept", ""):
        return Response(status_code=204)
    came_from = urlsplit(request.headers.get("referer", ""))
    return RedirectResponse(own_path(came_from.path + (f"?{came_from.query}" if came_from.query else "")), 303)


async def allowed(answer: Awaitable[Any]) -> Any:
    """Await `answer`, the response of an API request, and return it; None if the API refuses the request.

    Used for parts of a view that may be left out.
    """
    try:
        return await answer
    except Refused:
        return None


async def render(request: Request, template: str, status: int = 200, **context: Any) -> Response:
    """Return a view of the page as an HTML response with the status code `status`.

    `template` is the file name of the view's Jinja template, and the keyword arguments are the variables in it. The
    template can also use the variables of the page's header, such as the clock.
    """
    ui, client = ui_of(request), client_of(request)
    try:
        at = at_of(request)
    except Refused:
        at = At(0)
    frame = {
        "ui": ui,
        "request": request,
        "navigation": ui.navigation,
        "path": request.url.path.removeprefix(PREFIX),
        "at": at,
        # If the page shows the report of a hunt, there is no server with a clock and revisions.
        "clock": None if ui.hunt_report else await allowed(client.get(f"{CONTROL}/clock")),
        "revisions": None if ui.hunt_report else await allowed(client.get(f"{CONTROL}/revisions")),
        "change": await _change_at(client, at) if at.is_past else None,
        "has_session": bool(ui.sessions.token(session_of(request))),
    }
    if REFRESH in request.headers:
        # A script that reloads a view always gets 200, because browsers log any other status as an error on the
        # console. The script expects errors, for example when an object has been deleted.
        status = 200
    return HTMLResponse(ui.templates.get_template(template).render(frame | context), status)


async def _change_at(client: ApiClient, at: At) -> Any:
    """Return the write of an object that led to the revision `at`, or None if the server does not know it."""
    query = {"after": str(at.revision - 1), "until": str(at.revision), "limit": "1"}
    found = await allowed(client.get(f"{CONTROL}/changes", query))
    return found["items"][0] if found and found["items"] else None


async def show_refusal(request: Request, error: Exception) -> Response:
    """Return the page that shows why the API refused a request.

    If the API requires a token, redirect to the login form instead.
    """
    assert isinstance(error, Refused)
    if error.code == _UNAUTHORIZED and request.method == "GET":
        where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(link("/login", next=where), 303)
    if "text/html" not in request.headers.get("accept", ""):
        # A script always gets 200, because browsers log any other status as an error on the console, even if the script
        # shows the message.
        code = 200 if REFRESH in request.headers else error.code
        return PlainTextResponse(f"{error.message}\n", code)
    title = _TITLES.get(error.code, f"The server answered {error.code}")
    return await render(request, "refusal.html", error.code, title=title, message=error.message)

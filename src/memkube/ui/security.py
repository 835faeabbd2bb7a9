"""Access to the page: sessions of users with a token, and checks and headers that keep pages of other sites out.

A browser sends no bearer token by itself. The login form exchanges a token for a session, whose random name is in a
cookie that scripts cannot read and that other sites' pages cannot send. The token itself stays in the server.
"""

import secrets
from time import monotonic
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memkube.ui import PREFIX

COOKIE: Final = "memkube-session"
_MOST_SESSIONS: Final = 1000
_POLICY_VIOLATION: Final = 1008
_SESSION_SECONDS: Final = 12 * 3600
_READS: Final = frozenset({"GET", "HEAD"})
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "content-security-policy": _POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    # With no-referrer, browsers would send "Origin: null" with this page's own forms, so the server would refuse them.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Sessions:
    """Sessions of logged-in users: a bearer token for each random session name."""

    def __init__(self) -> None:
        self._tokens: dict[str, tuple[str, float]] = {}

    def open(self, token: str) -> str:
        """Store a token and return the random name of its session. If there are too many sessions, end the oldest."""
        while len(self._tokens) >= _MOST_SESSIONS:
            del self._tokens[next(iter(self._tokens))]
        name = secrets.token_urlsafe(32)
        self._tokens[name] = token, monotonic() + _SESSION_SECONDS
        return name

    def token(self, name: str) -> str:
        """Return the token of a session, or "" if the session does not exist or has expired."""
        token, end = self._tokens.get(name, ("", 0.0))
        if token and monotonic() >= end:
            self.close(name)
            return ""
        return token

    def close(self, name: str) -> None:
        """End a session, if it exists."""
        self._tokens.pop(name, None)


class OwnPagesOnly:
    """Refuses requests from pages of other origins, and adds security headers to all responses.

    Other sites may link to the page, but their scripts, frames and forms cannot use it. Even the origins that
    ``--cors-allowed-origins`` allows cannot: they may use only the API, with a token of their own.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or WebSocket for the web page, unless a page of another origin sends it."""
        if scope["type"] == "websocket":
            if is_foreign(scope):
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            else:
                await self._app(scope, receive, send)
            return

        async def completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        if is_foreign(scope):
            refusal = PlainTextResponse("pages of other origins may not use this page\n", 403)
            await refusal(scope, receive, completed)
            return
        await self._app(scope, receive, completed)


def is_foreign(scope: Scope) -> bool:
    """Return True if a page of another origin sent this request, unless it only follows a link that opens this page."""
    headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
    origin = headers.get(b"origin")
    if origin is not None:
        # The scheme is not compared, because it differs if a proxy in front of the server terminates TLS.
        return origin.lower().partition(b"://")[2] != headers.get(b"host", b"").lower()
    site = headers.get(b"sec-fetch-site", b"none")
    if site in (b"none", b"same-origin"):
        # Browsers send Origin or Sec-Fetch-Site with each write. A write without both does not come from a web page.
        return False
    is_link = headers.get(b"sec-fetch-mode") == b"navigate" and headers.get(b"sec-fetch-dest") == b"document"
    is_read: bool = scope.get("method") in _READS
    return not (is_read and is_link)


def own_path(path: str) -> str:
    """Return `path` if it belongs to memkube's web page, otherwise the path of the start page.

    The login form redirects to the result, so that no link to the form can lead to another site.
    """
    is_own = path.startswith(f"{PREFIX}/") and "\\" not in path and not any(ord(sign) < ord(" ") for sign in path)
    return path if is_own else f"{PREFIX}/"


def session_of(request: HTTPConnection) -> str:
    """Return the name of the session in the cookie of a request; "" if it has none."""
    return request.cookies.get(COOKIE, "")

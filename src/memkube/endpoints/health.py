"""``/healthz``, ``/livez`` and ``/readyz``, whole and check by check."""

from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.endpoints.requests import ApiRequest
from memkube.endpoints.responses import text_response

NAMES = ("healthz", "livez", "readyz")
_CHECKS = ("ping", "storage")


class Health:
    """The server answers, so it lives; its storage is memory, so it is ready."""

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request, whatever its method."""
        request = ApiRequest(scope, receive)
        name, _, check = request.path.strip("/").partition("/")
        if check and check not in _CHECKS:
            response = text_response("404 page not found\n", 404)
        elif check or "verbose" not in request.query:
            response = text_response("ok")
        else:
            excluded = set(request.query.get("exclude", ()))
            lines = [f"[+]{c} {'excluded: ok' if c in excluded else 'ok'}\n" for c in _CHECKS]
            response = text_response("".join(lines) + f"{name} check passed\n")
        await response(scope, receive, send)

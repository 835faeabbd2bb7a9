"""``/healthz``, ``/livez`` and ``/readyz``, whole and check by check."""

from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.shown_values import quoted
from memkube.endpoints.requests import ApiRequest
from memkube.endpoints.responses import text_response

NAMES = ("healthz", "livez", "readyz")
_CHECKS = ("ping", "storage")


class Health:
    """The server answers, so it lives; its storage is memory, so it is ready."""

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request, whatever its method."""
        request = ApiRequest(scope, receive)
        name, slash, check = request.path[1:].partition("/")
        if slash and check not in _CHECKS:
            response = text_response("404 page not found\n", 404)
        elif check or "verbose" not in request.query:
            response = text_response("ok")
        else:
            response = text_response(_report(set(request.query.get("exclude", ()))) + f"{name} check passed\n")
        await response(scope, receive, send)


def _report(excluded: set[str]) -> str:
    lines = [f"[+]{check} {'excluded: ok' if check in excluded else 'ok'}\n" for check in _CHECKS]
    if unknown := sorted(excluded.difference(_CHECKS)):
        names = ",".join(quoted(name) for name in unknown)
        lines.append(f"warn: some health checks cannot be excluded: no matches for {names}\n")
    return "".join(lines)

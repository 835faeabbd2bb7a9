"""Functions shared by the subresources ``nodes/proxy`` and ``services/proxy``.

Simulated nodes and pods have no reachable address, so a valid request ends with 503.
"""

from typing import Final

from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.shown_values import quoted

_SCHEMES: Final = ("", "http", "https")
_WITH_PORT: Final = 2
_WITH_SCHEME: Final = 3


def split_target(text: str, what: str) -> tuple[str, str]:
    """Split ``name``, ``name:port`` or ``scheme:name:port`` into name and port (SplitSchemeNamePort).

    Raises ApiError 400 for any other form.
    """
    parts = text.split(":")
    scheme = parts.pop(0) if len(parts) == _WITH_SCHEME else ""
    if len(parts) > _WITH_PORT or not parts[0] or scheme not in _SCHEMES:
        raise bad_request(f"invalid {what} request {quoted(text)}")
    return parts[0], parts[1] if len(parts) == _WITH_PORT else ""


def unavailable(message: str) -> ApiError:
    """Return an ApiError 503 with this message."""
    return ApiError(503, "ServiceUnavailable", message)


def unreachable(host: str, port: int | str) -> ApiError:
    """Return an ApiError 503 about a refused connection."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return unavailable(f"error trying to reach service: dial tcp {where}: connect: connection refused")

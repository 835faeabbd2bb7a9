"""What ``nodes/proxy`` and ``services/proxy`` have in common.

Nothing listens at the addresses of simulated nodes and pods, so that the way always ends at a refusal.
"""

from typing import Final

from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.shown_values import quoted

_SCHEMES: Final = ("", "http", "https")
_WITH_PORT: Final = 2
_WITH_SCHEME: Final = 3


def split_target(text: str, what: str) -> tuple[str, str]:
    """Name and port of ``name``, ``name:port`` or ``scheme:name:port`` (SplitSchemeNamePort). Raises ApiError 400."""
    parts = text.split(":")
    scheme = parts.pop(0) if len(parts) == _WITH_SCHEME else ""
    if len(parts) > _WITH_PORT or not parts[0] or scheme not in _SCHEMES:
        raise bad_request(f"invalid {what} request {quoted(text)}")
    return parts[0], parts[1] if len(parts) == _WITH_PORT else ""


def unavailable(message: str) -> ApiError:
    """503."""
    return ApiError(503, "ServiceUnavailable", message)


def unreachable(host: str, port: int | str) -> ApiError:
    """503: nothing listens there."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return unavailable(f"error trying to reach service: dial tcp {where}: connect: connection refused")

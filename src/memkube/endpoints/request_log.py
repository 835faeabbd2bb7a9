"""What the server says about requests that it failed on."""

import logging

from memkube.endpoints.requests import ApiRequest

_LOGGER = logging.getLogger("memkube")


def log_failure(request: ApiRequest, error: Exception) -> None:
    """Tells the operator, with a traceback; clients see a Status."""
    _LOGGER.error("%s %s by %s failed", request.method, request.path, request.user, exc_info=error)

"""``/version``: the Kubernetes release whose answers this server gives."""

import platform

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.endpoints.errors import generic_refusal
from memkube.endpoints.media_types import JSON, named_types
from memkube.endpoints.negotiation import negotiate_refusal, none_available
from memkube.endpoints.requests import ApiRequest
from memkube.endpoints.responses import document_response, refusal

_RELEASE = "1.36.2"


def version_document(package_version: str) -> Document:
    """The build information of the server."""
    major, minor, _ = _RELEASE.split(".")
    return {
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": str(int(minor) - 1),
        "gitVersion": f"v{_RELEASE}",
        "gitCommit": f"memkube-{package_version}",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": f"python{platform.python_version()}",
        "compiler": platform.python_implementation().lower(),
        "platform": f"{platform.system().lower()}/{platform.machine()}",
    }


class Version:
    """Answers ``/version``."""

    def __init__(self, package_version: str) -> None:
        self._document = version_document(package_version)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        request = ApiRequest(scope, receive)
        try:
            if request.method != "GET":
                raise generic_refusal(405)
            if not any(named in (JSON, "*/*") for named in named_types(request.accept or "*/*")):
                raise none_available((JSON,))
            response: ASGIApp = document_response(self._document)
        except ApiError as error:
            response = refusal(error, negotiate_refusal(request.accept))
        await response(scope, receive, send)

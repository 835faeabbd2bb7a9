"""``/version``: the Kubernetes release whose answers this server gives."""

import platform
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

import memkube
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.endpoints.errors import generic_refusal
from memkube.endpoints.media_types import JSON, named_types
from memkube.endpoints.negotiation import FOR_PEOPLE, none_available
from memkube.endpoints.requests import ApiRequest
from memkube.endpoints.responses import document_response, refused

RELEASE: Final = "1.36.2"
_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
"""What Go calls processors that go by another name elsewhere."""


class Version:
    """Answers ``/version``, laid out for people whoever asks."""

    def __init__(self, package_version: str) -> None:
        self._package_version = package_version

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        request = ApiRequest(scope, receive)
        try:
            if request.method != "GET":
                raise generic_refusal(405)
            if not any(named in (JSON, "*/*") for named in named_types(request.accept or "*/*")):
                raise none_available((JSON,))
            response: ASGIApp = document_response(self._document, FOR_PEOPLE)
        except ApiError as error:
            response = refused(request, error)
        await response(scope, receive, send)

    @cached_property
    def _document(self) -> Document:
        """The build information of the server."""
        major, minor, _ = RELEASE.split(".")
        machine = platform.machine()
        return {
            "major": major,
            "minor": minor,
            "emulationMajor": major,
            "emulationMinor": minor,
            "minCompatibilityMajor": major,
            "minCompatibilityMinor": str(int(minor) - 1),
            "gitVersion": f"v{RELEASE}",
            "gitCommit": f"memkube-{self._package_version}",
            "gitTreeState": "clean",
            "buildDate": _build_date(),
            "goVersion": f"python{platform.python_version()}",
            "compiler": platform.python_implementation().lower(),
            "platform": f"{platform.system().lower()}/{_ARCHITECTURES.get(machine, machine)}",
        }


def _build_date() -> str:
    """When the newest of the package's files was written."""
    sources = Path(memkube.__file__).parent.rglob("*.py")
    newest = max(source.stat().st_mtime for source in sources)
    return Time.at(datetime.fromtimestamp(newest, UTC))

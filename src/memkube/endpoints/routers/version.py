"""``/version``: the release of Kubernetes that the server implements, and the version of memkube."""

import platform
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube import version
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.negotiation import FOR_PEOPLE, JSON, named_types, none_available
from memkube.endpoints.responses.responses import document_response
from memkube.endpoints.routers.api_route import ApiRoute

_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
"""Go's names of processor architectures, for those that have another name in Python."""


def version_router(package_version: str, reported_version: str) -> APIRouter:
    """Return a router that serves ``/version``. The response is always indented JSON.

    `package_version` is the version of memkube, `reported_version` the release of Kubernetes, such as v1.36.2.
    """
    router = APIRouter(route_class=ApiRoute)

    @router.get("/version", name="version")
    @router.get("/version/", name="version")
    async def answer(request: ApiRequest) -> ASGIApp:
        if not any(named in (JSON, "*/*") for named in named_types(request.accept or "*/*")):
            raise none_available((JSON,))
        return document_response(_version_info(package_version, reported_version), FOR_PEOPLE)

    return router


@cache
def _version_info(package_version: str, reported_version: str) -> Document:
    major, minor, _ = version.KUBERNETES_VERSION.split(".")
    machine = platform.machine()
    return {
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": str(int(minor) - 1),
        "gitVersion": reported_version,
        "gitCommit": f"memkube-{package_version}",
        "gitTreeState": "clean",
        "buildDate": _build_date(),
        "goVersion": f"python{platform.python_version()}",
        "compiler": platform.python_implementation().lower(),
        "platform": f"{platform.system().lower()}/{_ARCHITECTURES.get(machine, machine)}",
    }


def _build_date() -> str:
    """Return the modification time of the package's newest file, as RFC 3339 in UTC."""
    sources = Path(version.__file__).parent.rglob("*.py")
    newest = max(source.stat().st_mtime for source in sources)
    return Time.at(datetime.fromtimestamp(newest, UTC))

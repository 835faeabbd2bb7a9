"""Addresses that are no resources (NonResourceURLs): health, and which release answers.

``/healthz``, ``/livez`` and ``/readyz`` are served whole and check by check (apiserver ``server/healthz``).
"""

import logging
import platform
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube import version
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.negotiation import FOR_PEOPLE, JSON, named_types, none_available
from memkube.endpoints.responses.responses import document_response, generic_refusal, refused, text_response
from memkube.registry.declarations.interface import DefinitionSync, InformerSync
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures, RequestLabels

_LOGGER: Final = logging.getLogger("memkube")
_NOT_FOUND: Final = "404 page not found\n"
_NOWHERE: Final = 404
Check: TypeAlias = Callable[[], Awaitable[None]]
"""Raises an exception that says what is wrong."""
_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
"""What Go calls processors that go by another name elsewhere."""


class Unhealthy(Exception):
    """A check's way to say what is wrong."""


class Checks:
    """The reference's checks that have a counterpart here."""

    def __init__(
        self, registry: Registry, informers: InformerSync, definitions: Callable[[], DefinitionSync | None]
    ) -> None:
        self._registry = registry
        self._informers = informers
        self._definition_sync = definitions
        self._stops = False

    def shut_down(self) -> None:
        """The server stops: it is ready for nothing any more."""
        self._stops = True

    def of(self, name: str) -> Mapping[str, Check]:
        """The checks behind an address, in the order in which they are made."""
        checks: dict[str, Check] = {"ping": self._ping, "log": self._log, "etcd": self._etcd}
        if name == "readyz":
            checks |= {
                "informer-sync": self._informer_sync,
                "poststarthook/crd-informer-synced": self._definitions,
                "shutdown": self._shutdown,
            }
        return checks

    async def _ping(self) -> None:
        """The server answers."""

    async def _log(self) -> None:
        """What is logged can be written."""
        logger: logging.Logger | None = _LOGGER
        while logger is not None:
            for handler in logger.handlers:
                handler.flush()
            logger = logger.parent if logger.propagate else None

    async def _etcd(self) -> None:
        """What keeps the objects answers."""
        await self._registry.find("", "v1", "namespaces").list("", ListOptions(limit=1))

    async def _informer_sync(self) -> None:
        if unsynced := self._informers.unsynced():
            raise Unhealthy(f"{len(unsynced)} informers not started yet: {unsynced}")

    async def _definitions(self) -> None:
        """What was defined before the start is served; what is defined later is no matter of being ready."""
        served = self._definition_sync()
        if served is not None and (unserved := served.unserved()):
            raise Unhealthy(f"{len(unserved)} definitions are not served yet: {unserved}")

    async def _shutdown(self) -> None:
        if self._stops:
            raise Unhealthy("process is shutting down")


class Health:
    """Answers the addresses of the checks."""

    def __init__(self, checks: Checks, measures: Measures) -> None:
        self._checks = checks
        self._measures = measures

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request, whatever its method."""
        arrived = monotonic()
        request = ApiRequest(scope, receive)
        name, slash, asked = request.path[1:].partition("/")
        checks = self._checks.of(name)
        if not slash:
            text, code = await _whole(name, checks, request)
        elif asked in checks:
            text, code = await _one(checks[asked])
        else:
            text, code = _NOT_FOUND, _NOWHERE
        await text_response(text, code)(scope, receive, send)
        if code != _NOWHERE:
            labels = RequestLabels("GET", "", "", "", "", request.path, "")
            series = self._measures.of(labels)
            series.pending.append((code, monotonic() - arrived, 0, ""))
            series.settle()


async def _one(check: Check) -> tuple[str, int]:
    try:
        await check()
    except Exception as error:
        return f"internal server error: {error}\n", 500
    return "ok", 200


async def _whole(name: str, checks: Mapping[str, Check], request: ApiRequest) -> tuple[str, int]:
    """Says more on request, and always where a check fails; why it does is for the log alone."""
    excluded = set(request.query.get("exclude", ()))
    lines: list[str] = []
    failed = False
    for check_name, check in checks.items():
        if check_name in excluded:
            lines.append(f"[+]{check_name} excluded: ok\n")
            continue
        try:
            await check()
            lines.append(f"[+]{check_name} ok\n")
        except Exception as error:
            failed = True
            lines.append(f"[-]{check_name} failed: reason withheld\n")
            _LOGGER.warning("%s check failed: %s: %s", name, check_name, error)
    if unknown := sorted(excluded.difference(checks)):
        names = ",".join(map(quoted, unknown))
        lines.append(f"warn: some health checks cannot be excluded: no matches for {names}\n")
    if failed:
        return f"{''.join(lines)}{name} check failed\n", 500
    return (f"{''.join(lines)}{name} check passed\n" if "verbose" in request.query else "ok"), 200


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
        major, minor, _ = version.KUBERNETES_VERSION.split(".")
        machine = platform.machine()
        return {
            "major": major,
            "minor": minor,
            "emulationMajor": major,
            "emulationMinor": minor,
            "minCompatibilityMajor": major,
            "minCompatibilityMinor": str(int(minor) - 1),
            "gitVersion": f"v{version.KUBERNETES_VERSION}",
            "gitCommit": f"memkube-{self._package_version}",
            "gitTreeState": "clean",
            "buildDate": _build_date(),
            "goVersion": f"python{platform.python_version()}",
            "compiler": platform.python_implementation().lower(),
            "platform": f"{platform.system().lower()}/{_ARCHITECTURES.get(machine, machine)}",
        }


def _build_date() -> str:
    """When the newest of the package's files was written."""
    sources = Path(version.__file__).parent.rglob("*.py")
    newest = max(source.stat().st_mtime for source in sources)
    return Time.at(datetime.fromtimestamp(newest, UTC))

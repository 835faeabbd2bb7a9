"""Health checks: ``/healthz``, ``/livez`` and ``/readyz``, and the single checks below them.

Source: apiserver ``server/healthz``.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Final, TypeAlias

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.apimachinery.shown_values import quoted
from memkube.endpoints.filters.recording import VERBS
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.responses.responses import NOT_FOUND_TEXT, PLAIN_TEXT, BytesResponse, text_response
from memkube.endpoints.routers.api_route import ANY_METHOD, ApiRoute
from memkube.registry.declarations.interface import DefinitionSync, InformerSync
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.registry import Registry
from memkube.telemetry.measures import Measures, RequestLabels

_LOGGER: Final = logging.getLogger("memkube")
_RBAC: Final = "poststarthook/rbac/bootstrap-roles"
"""Name of the check for a step of the start that only servers with RBAC have."""
_LOOPBACK: Final = "loopback-serving-certificate"
_BOOT_SEQUENCE: Final = (
    *(
        f"poststarthook/{hook}"
        for hook in (
            "start-apiserver-admission-initializer",
            "generic-apiserver-start-informers",
            "priority-and-fairness-config-consumer",
            "priority-and-fairness-filter",
            "storage-object-count-tracker-hook",
            "start-apiextensions-informers",
            "start-apiextensions-controllers",
            "crd-informer-synced",
            "start-system-namespaces-controller",
            "peer-endpoint-reconciler-controller",
            "start-cluster-authentication-info-controller",
            "start-kube-apiserver-identity-lease-controller",
            "start-kube-apiserver-identity-lease-garbage-collector",
            "storage-readiness",
            "start-legacy-token-tracking-controller",
            "start-service-ip-repair-controllers",
            "rbac/bootstrap-roles",
            "scheduling/bootstrap-system-priority-classes",
            "priority-and-fairness-config-producer",
            "bootstrap-controller",
            "start-kubernetes-service-cidr-controller",
            "start-kube-aggregator-informers",
            "apiservice-status-local-available-controller",
            "apiservice-status-remote-available-controller",
            "apiservice-registration-controller",
            "apiservice-discovery-controller",
            "kube-apiserver-autoregistration",
        )
    ),
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
)
"""Names of the checks for steps of kube-apiserver's start, in their order. All of them pass here."""

Check: TypeAlias = Callable[[], Awaitable[None]]
"""Function that returns if the check passes. Otherwise, it raises an exception that describes the problem."""


class Unhealthy(Exception):
    """Raised by a check that fails; the message describes the problem."""


class Checks:
    """The health checks of one server, under the names of kube-apiserver's checks."""

    def __init__(
        self,
        registry: Registry,
        informers: InformerSync,
        definitions: Callable[[], DefinitionSync | None],
        api_services: Callable[[], InformerSync | None],
        *,
        has_rbac: bool = False,
    ) -> None:
        self._registry = registry
        self._informers = informers
        self._definition_sync = definitions
        self._api_service_sync = api_services
        self._boot_sequence = [name for name in _BOOT_SEQUENCE if has_rbac or name != _RBAC]
        self._stops = False

    def shut_down(self) -> None:
        """Make the check ``shutdown`` fail from now on."""
        self._stops = True

    def of(self, name: str) -> Mapping[str, Check]:
        """Return the checks that ``healthz``, ``livez`` or ``readyz`` runs, by name, in their order."""
        checks: dict[str, Check] = {"ping": self._ping, "log": self._log}
        if name == "readyz":
            checks |= {"etcd": self._etcd, "etcd-readiness": self._etcd, "informer-sync": self._informer_sync}
        else:
            checks |= {_LOOPBACK: self._loopback, "etcd": self._etcd}
        checks |= dict.fromkeys(self._boot_sequence, self._started)
        checks |= {
            "poststarthook/crd-informer-synced": self._definitions,
            "poststarthook/apiservice-discovery-controller": self._discovery,
        }
        return {**checks, "shutdown": self._shutdown} if name == "readyz" else checks

    async def _ping(self) -> None:
        """Always pass: a server that runs this check is able to answer requests."""

    async def _loopback(self) -> None:
        """Always pass: the server sends no requests to itself that need a certificate which could expire."""

    async def _started(self) -> None:
        """Always pass.

        The check is named after a step of the server's start, which ends before the server accepts requests.
        """

    async def _log(self) -> None:
        """Pass if the handlers of the server's log can be flushed to their destinations."""
        logger: logging.Logger | None = _LOGGER
        while logger is not None:
            for handler in logger.handlers:
                handler.flush()
            logger = logger.parent if logger.propagate else None

    async def _etcd(self) -> None:
        """Pass if the storage engine answers."""
        await self._registry.find("", "v1", "namespaces").list("", ListOptions(limit=1))

    async def _informer_sync(self) -> None:
        if unsynced := self._informers.unsynced():
            raise Unhealthy(f"{len(unsynced)} informers not started yet: {unsynced}")

    async def _definitions(self) -> None:
        """Pass once all custom kinds are served whose definitions were stored when the server started."""
        served = self._definition_sync()
        if served is not None and (unserved := served.unserved()):
            raise Unhealthy(f"{len(unserved)} definitions are not served yet: {unserved}")

    async def _discovery(self) -> None:
        """Pass once the server has discovered the extension API servers that were stored when it started."""
        fetched = self._api_service_sync()
        if fetched is not None and (missing := fetched.unsynced()):
            raise Unhealthy(f"discovery of {len(missing)} APIServices has not been fetched yet: {missing}")

    async def _shutdown(self) -> None:
        if self._stops:
            raise Unhealthy("process is shutting down")


def health_router(checks: Checks, measures: Measures) -> APIRouter:
    """Return a router for ``/healthz``, ``/livez`` and ``/readyz``, and for single checks. It accepts any method.

    `measures` counts the requests in the server's metrics.
    """
    router = APIRouter(route_class=ApiRoute)

    @router.api_route("/healthz", methods=ANY_METHOD, name="health")
    @router.api_route("/livez", methods=ANY_METHOD, name="health")
    @router.api_route("/readyz", methods=ANY_METHOD, name="health")
    async def health(request: ApiRequest) -> ASGIApp:
        name, arrived = request.path[1:], monotonic()
        text, code = await _whole(name, checks.of(name), request, measures)
        verb = "GET" if request.method == "HEAD" else request.method
        series = measures.of(RequestLabels(verb if verb in VERBS else "other", "", "", "", "", request.path, ""))
        series.pending.append((code, monotonic() - arrived, len(text), ""))
        series.settle()
        return text_response(text, code)

    @router.api_route("/healthz/{check:path}", methods=ANY_METHOD, name="health_check")
    @router.api_route("/livez/{check:path}", methods=ANY_METHOD, name="health_check")
    @router.api_route("/readyz/{check:path}", methods=ANY_METHOD, name="health_check")
    async def health_check(request: ApiRequest) -> ASGIApp:
        name, _, asked = request.path[1:].partition("/")
        check = checks.of(name).get(asked)
        return text_response(NOT_FOUND_TEXT, 404) if check is None else await _one(check)

    return router


async def _one(check: Check) -> ASGIApp:
    """Return the response for a single check: ``ok``, or the reason for its failure."""
    try:
        await check()
    except Exception as error:
        return text_response(f"internal server error: {error}\n", 500)
    return BytesResponse(b"ok", content_type=PLAIN_TEXT)


async def _whole(name: str, checks: Mapping[str, Check], request: ApiRequest, measures: Measures) -> tuple[str, int]:
    """Run all checks of the endpoint `name`, such as ``readyz``. Return the text and the HTTP status of the response.

    The reasons for failures are logged; the text does not contain them. `measures` counts the results of the checks.
    """
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
            measures.note_health(check_name, name, is_healthy=True)
        except Exception as error:
            failed = True
            lines.append(f"[-]{check_name} failed: reason withheld\n")
            measures.note_health(check_name, name, is_healthy=False)
            _LOGGER.warning("%s check failed: %s: %s", name, check_name, error)
    if unknown := sorted(excluded.difference(checks)):
        names = ",".join(map(quoted, unknown))
        lines.append(f"warn: some health checks cannot be excluded: no matches for {names}\n")
    if failed:
        return f"{''.join(lines)}{name} check failed\n", 500
    return (f"{''.join(lines)}{name} check passed\n" if "verbose" in request.query else "ok"), 200

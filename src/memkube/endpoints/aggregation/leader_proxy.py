"""Proxy for requests about simulated nodes and pods, if several servers share a storage: only the leader answers them.

Only the leader simulates nodes. It gets these requests:

- ``log``, ``exec``, ``attach`` and ``portforward`` of pods, which kube-apiserver proxies to a kubelet
- ``proxy`` of pods and Services
- resource metrics, requests for which kube-apiserver proxies to metrics-server
- requests to the control API about nodes, containers, scheduling and snapshots
"""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.apimachinery.errors import ApiError, Details
from memkube.endpoints.aggregation.heads import Headers, answer_head, asks_for_upgrade, of_the_message
from memkube.endpoints.aggregation.proxy import ProxiedRequest, Upstream
from memkube.endpoints.requests.api_request import LASTING, ApiRequest, audit_id_of, parse_address
from memkube.endpoints.responses.responses import refused
from memkube.endpoints.transport import UPGRADE
from memkube.hooks.client import HookClient
from memkube.hooks.configuration import ClientConfig
from memkube.registry.declarations.interface import LeaderElection

_CONNECTIONS: Final = {
    "pods": frozenset({"attach", "exec", "log", "portforward", "proxy"}),
    "services": frozenset({"proxy"}),
}
"""Subresources by which clients reach simulated containers, by resource."""
_MEASURED: Final = "metrics.k8s.io"
"""API group of PodMetrics and NodeMetrics, which only the server that simulates the nodes can compute."""
_CONTROLS: Final = tuple(f"/memkube/v1/{name}" for name in ("node-pools", "nodes", "rules", "scheduling", "snapshots"))
_PASSED_ON: Final = b"x-memkube-passed-on"
"""Name of a header that marks proxied requests. A server that receives such a request does not proxy it again."""
_REPLACED: Final = frozenset({b"host", b"audit-id", _PASSED_ON})
_RETRY_SECONDS: Final = 1


class LeaderProxy:
    """Proxies requests to the leader. If no leader is known, the client gets 503 with Retry-After."""

    def __init__(self, leader: LeaderElection, client: HookClient, seconds: float) -> None:
        """Create the proxy. `leader` knows the URL of the leader, and `client` sends requests to this URL.

        `seconds` is the timeout of requests, except for streams and upgraded connections.
        """
        self._leader = leader
        self._client = client
        self._seconds = seconds

    def takes(self, path: str) -> bool:
        """Return True if a request for this path has to be proxied.

        That is the case if only the leader can answer it, and another server is the leader.
        """
        return self._leader.is_follower and _is_of_the_leader(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Proxy a request to the leader, and send the leader's response to the client."""
        request = ApiRequest(scope, receive)
        url = "" if request.header(_PASSED_ON) else await self._leader.leader_url()
        if not url:
            await refused(request, _no_leader())(scope, receive, send)
            return

        def head(*, upgrades: bool) -> Headers:
            kept = [(n, v) for n, v in of_the_message(scope["headers"], upgrades=upgrades) if n not in _REPLACED]
            if any(name == b"transfer-encoding" for name, _ in scope["headers"]):
                kept.append((b"transfer-encoding", b"chunked"))
            authority = url.partition("://")[2].encode()
            return [(b"host", authority), *kept, (b"audit-id", audit_id_of(scope)), (_PASSED_ON, b"1")]

        query: bytes = scope["query_string"]
        asked: bytes = scope["raw_path"] + (b"?" + query if query else b"")

        def unreachable(_: str) -> ASGIApp:
            return refused(request, _no_leader())

        upstream = Upstream(ClientConfig(url=url), asked, head, _answer, unreachable)
        proxied = ProxiedRequest(self._client, upstream, scope, receive, send)
        if asks_for_upgrade(scope) and UPGRADE in scope.get("extensions", {}):
            await proxied.relay_upgrade()
        else:
            address = parse_address(scope["path"])
            lasts = address is not None and address.subresource in LASTING
            await proxied.forward(None if lasts else self._seconds)


def _answer(headers: Headers) -> Headers:
    """Return the leader's response headers without the audit id: the client gets the audit id of this server."""
    return [(name, value) for name, value in answer_head(headers) if name != b"audit-id"]


def _is_of_the_leader(path: str) -> bool:
    if path.startswith("/memkube/"):
        return path.startswith(_CONTROLS)
    address = parse_address(path)
    if address is None:
        return False
    if address.group == _MEASURED:
        return bool(address.resource)
    return not address.group and address.subresource in _CONNECTIONS.get(address.resource, ())


def _no_leader() -> ApiError:
    why = "no server runs the pods at the moment: please try again"
    return ApiError(503, "ServiceUnavailable", why, Details(retry_after_seconds=_RETRY_SECONDS))

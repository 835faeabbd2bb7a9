"""What is behind a running pod's containers: logs, exec, attach, port-forward and proxy.

Sources: ``pkg/registry/core/pod/strategy.go`` (LogLocation, streamLocation, PortForwardLocation, ResourceLocation)
for what the API server refuses, ``pkg/kubelet/server`` for what the node does.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from memkube.apimachinery.errors import ApiError, GroupResource, bad_request, not_found
from memkube.apimachinery.query import Query
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.pods.stream_options import (
    PodAttachOptions,
    PodExecOptions,
    PodLogOptions,
    attach_options,
    exec_options,
    log_options,
    port_forward_options,
)
from memkube.registry.declarations.interface import ObjectStore, Stores
from memkube.registry.declarations.streaming import (
    ByteStream,
    Connection,
    PortConnections,
    PortForwarding,
    ProcessConnection,
    ProcessStreams,
    Session,
    StreamFailed,
    TextStream,
)
from memkube.registry.writes.metadata import check_key_name

if TYPE_CHECKING:
    from memkube.apis.core.v1.pods.types import Pod

_PROXY_PARTS = 3


class NodeConnections(Protocol):
    """The nodes' side of ``log``, ``exec``, ``attach`` and ``portforward``, provided where pods are run.

    The pod has a node and the container is one of its own. Everything else that can be refused is refused by an
    ApiError before the first byte; what goes wrong later is a StreamFailed.
    """

    async def log(self, pod: "Pod", container: str, options: PodLogOptions) -> AsyncIterator[bytes]:
        """What the container wrote, in pieces; with ``follow``, until the container has ended.

        The iterator is closed when the client goes away.
        """

    async def execute(self, pod: "Pod", container: str, command: Sequence[str]) -> Session:
        """A command in a running container."""

    async def attach(self, pod: "Pod", container: str) -> Session:
        """The container's own process."""

    async def forward(self, pod: "Pod") -> PortForwarding:
        """The ports of a running pod."""


async def read_log(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """GET of ``log``. A pod that no node runs has no log, which is no error."""
    options = log_options(query, name)
    store = _pods(stores)
    pod = await _pod(store, namespace, name)
    container = choose_container(pod, options.container)
    if not pod.spec.nodeName:
        return TextStream(None)
    nodes = await _nodes(stores, pod)
    return TextStream(await nodes.log(pod, container, options))


async def execute(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """``exec``: a command in a container of a pod that a node runs."""
    _refuse_dry_run(query)
    options = exec_options(query)
    store = _pods(stores)
    pod = await _pod(store, namespace, name)
    container = choose_container(pod, options.container)
    nodes = await _nodes(stores, pod)

    async def start() -> Session:
        return _saying("executing command in", await nodes.execute(pod, container, options.command))

    return _process(options, start)


async def attach(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """``attach``: a container's own process, whose exit code is no matter of the client's."""
    _refuse_dry_run(query)
    options = attach_options(query)
    store = _pods(stores)
    pod = await _pod(store, namespace, name)
    container = choose_container(pod, options.container)
    nodes = await _nodes(stores, pod)

    async def start() -> Session:
        session = _saying("attaching to", await nodes.attach(pod, container))

        async def without_exit_code(streams: ProcessStreams) -> int:
            await session(streams)
            return 0

        return without_exit_code

    return _process(options, start)


async def forward_ports(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """``portforward``: the ports of a pod that a node runs."""
    _refuse_dry_run(query)
    options = port_forward_options(query)
    store = _pods(stores)
    pod = await _pod(store, namespace, name)
    nodes = await _nodes(stores, pod)

    async def start() -> PortForwarding:
        forward = await nodes.forward(pod)

        async def saying_where(port: int, stream: ByteStream) -> None:
            try:
                await forward(port, stream)
            except (StreamFailed, ConnectionRefusedError) as error:
                where = f"error forwarding port {port} to pod {name}, uid {pod.metadata.uid}"
                raise StreamFailed(f"{where}: {error}") from error

        return saying_where

    return PortConnections(start, options.ports or None)


async def proxy(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """``proxy`` needs a pod with an address."""
    _refuse_dry_run(query)
    await _pod(_pods(stores), namespace, _proxied_name(name))
    raise bad_request("address not allowed")


def choose_container(pod: "Pod", container: str) -> str:
    """The container that a request means. Raises ApiError 400 where that is not clear."""
    spec = pod.spec
    names = [c.name for c in (*spec.initContainers, *spec.containers)]
    names += [c.name for c in spec.ephemeralContainers]
    if container:
        if container not in names:
            raise bad_request(f"container {container} is not valid for pod {pod.metadata.name}")
        return container
    if len(spec.containers) == 1:
        return spec.containers[0].name
    choice = f"a container name must be specified for pod {pod.metadata.name}, choose one of: [{' '.join(names)}]"
    raise bad_request(choice)


def _process(options: PodExecOptions | PodAttachOptions, start: Callable[[], Awaitable[Session]]) -> ProcessConnection:
    """With a terminal there is no error output of its own; without any stream the node refuses."""
    stderr = options.stderr and not options.tty

    async def start_with_streams() -> Session:
        if not (options.stdin or options.stdout or stderr):
            raise bad_request("you must specify at least 1 of stdin, stdout, stderr")
        return await start()

    return ProcessConnection(start_with_streams, options.stdin, options.stdout, stderr, options.tty)


def _saying(what: str, session: Session) -> Session:
    """The same session, whose failures say what failed."""

    async def saying(streams: ProcessStreams) -> int:
        try:
            return await session(streams)
        except StreamFailed as error:
            raise StreamFailed(f"error {what} container: {error}") from error

    return saying


def _refuse_dry_run(query: Query) -> None:
    if "dryRun" in query:
        raise bad_request("dryRun is not supported")


def _proxied_name(text: str) -> str:
    """The pod in ``pod``, ``pod:port`` or ``scheme:pod:port``. Raises ApiError 400."""
    parts = text.split(":")
    scheme, name = ("", parts[0]) if len(parts) < _PROXY_PARTS else (parts[0], parts[1])
    if len(parts) > _PROXY_PARTS or not name or scheme not in ("", "http", "https"):
        raise bad_request(f"invalid pod request {quoted(text)}")
    return name


async def _nodes(stores: Stores, pod: "Pod") -> NodeConnections:
    """Raises ApiError where no node runs the pod. A node that is not there is reported as a pod, as upstream does."""
    node = pod.spec.nodeName
    if not node:
        raise bad_request(f"pod {pod.metadata.name} does not have a host assigned")
    nodes = stores.provided(NodeConnections)
    try:
        await stores.find("", "v1", "nodes").get("", node)
    except ApiError:
        nodes = None
    if nodes is None:
        raise not_found(GroupResource("", "pods"), node)
    return nodes


def _pods(stores: Stores) -> ObjectStore:
    return stores.find("", "v1", "pods")


async def _pod(pods: ObjectStore, namespace: str, name: str) -> "Pod":
    check_key_name(name)
    from memkube.apis.core.v1.pods.types import Pod  # noqa: PLC0415  there is none before a pod is

    return Pod.from_document((await pods.get(namespace, name)).document)

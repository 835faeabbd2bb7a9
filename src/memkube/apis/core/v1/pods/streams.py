"""The pod subresources log, exec, attach, portforward and proxy, which stream data.

Their options are parsed in ``stream_options.py``. Sources: ``pkg/registry/core/pod/strategy.go`` (LogLocation,
streamLocation, PortForwardLocation, ResourceLocation) for the checks of the API server, and ``pkg/kubelet/server`` for
the checks of the kubelet.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from memkube.apimachinery.errors import ApiError, GroupResource, bad_request, not_found
from memkube.apimachinery.query import Query
from memkube.apis.core.v1.pods.stream_options import (
    PodAttachOptions,
    PodExecOptions,
    PodLogOptions,
    attach_options,
    exec_options,
    log_options,
    port_forward_options,
)
from memkube.apis.core.v1.proxying import is_global_unicast, server_in, split_scheme_name_port
from memkube.registry.declarations.interface import ObjectStore, Stores
from memkube.registry.declarations.kind_services import NodeConnections
from memkube.registry.declarations.streaming import (
    ByteStream,
    Connection,
    NodeUnreachable,
    PortConnections,
    PortForwarding,
    ProcessConnection,
    ProcessStreams,
    Session,
    StreamFailed,
    TextStream,
)
from memkube.registry.reads.collection import check_key_name

if TYPE_CHECKING:
    from memkube.apis.core.v1.pods.types import Pod


async def read_log(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Return the log of a container for a GET of ``log``. The log of an unscheduled pod is empty."""
    options = log_options(query, name)
    store = _pods(stores)
    pod = await _pod(store, namespace, name)
    container = choose_container(pod, options.container)
    if not pod.spec.nodeName:
        return TextStream(None)
    nodes = await _nodes(stores, pod)
    try:
        return TextStream(await nodes.log(pod, container, options))
    except NodeUnreachable as error:
        target = f"{namespace}/{name}/{container}{_log_query(options)}"
        raise ApiError(500, "", f'Get "https://{error.host}/containerLogs/{target}": {error.dialing}') from None


def _log_query(options: PodLogOptions) -> str:
    """Return the query with which kube-apiserver requests a container's log from the kubelet."""
    given = options.to_document()
    names = ("follow", "limitBytes", "previous", "sinceSeconds", "sinceTime", "tailLines", "timestamps")
    query = {name: "true" if given[name] is True else given[name] for name in names if name in given}
    return f"?{urlencode(query)}" if query else ""


async def execute(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Start a command in a container of a scheduled pod, and return the session of ``exec``."""
    _refuse_dry_run(query)
    options = exec_options(query)
    store = _pods(stores)
    pod = await _pod(store, namespace, name)
    container = choose_container(pod, options.container)
    nodes = await _nodes(stores, pod)

    async def start() -> Session:
        return _with_error_prefix("executing command in", await nodes.execute(pod, container, options.command))

    return _process(options, start)


async def attach(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Return a session of ``attach``, connected to the main process of a container.

    The client does not get the exit code.
    """
    _refuse_dry_run(query)
    options = attach_options(query)
    store = _pods(stores)
    pod = await _pod(store, namespace, name)
    container = choose_container(pod, options.container)
    nodes = await _nodes(stores, pod)

    async def start() -> Session:
        session = _with_error_prefix("attaching to", await nodes.attach(pod, container))

        async def without_exit_code(streams: ProcessStreams) -> int:
            await session(streams)
            return 0

        return without_exit_code

    return _process(options, start)


async def forward_ports(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Return a session of ``portforward``, which connects to ports of a scheduled pod."""
    _refuse_dry_run(query)
    options = port_forward_options(query)
    store = _pods(stores)
    pod = await _pod(store, namespace, name)
    nodes = await _nodes(stores, pod)

    async def start() -> PortForwarding:
        forward = await nodes.forward(pod)

        async def forward_port(port: int, stream: ByteStream) -> None:
            try:
                await forward(port, stream)
            except (StreamFailed, ConnectionRefusedError) as error:
                where = f"error forwarding port {port} to pod {name}, uid {pod.metadata.uid}"
                raise StreamFailed(f"{where}: {error}") from error

        return forward_port

    return PortConnections(start, options.ports or None)


async def proxy(stores: Stores, namespace: str, name: str, query: Query) -> Connection:
    """Return the server to which ``pods/proxy`` passes a request, on a port of the pod.

    If the request names no port, the port is the first one of the first container that declares ports.
    """
    _refuse_dry_run(query)
    scheme, pod_name, port = split_scheme_name_port(name, "pod")
    pod = await _pod(_pods(stores), namespace, pod_name)
    declared = next((container.ports[0].containerPort for container in pod.spec.containers if container.ports), "")
    host = pod.status.podIPs[0].ip if pod.status.podIPs else pod.status.podIP
    if not is_global_unicast(host):
        raise bad_request("address not allowed")
    return server_in(stores, pod, host, scheme, port or str(declared))


def choose_container(pod: "Pod", container: str) -> str:
    """Return the name of the container that the request names, or else of the only container of the pod.

    Raises ApiError 400 if the container does not exist, or if the request names none and the pod has several.
    """
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
    """Return the connection between a client and a process in a container.

    `options` are those of ``exec`` or ``attach``. `start` is called once the client is connected, and returns the
    function that runs the process. With a terminal, the client gets standard error as part of standard output.
    """
    stderr = options.stderr and not options.tty

    async def start_with_streams() -> Session:
        if not (options.stdin or options.stdout or stderr):
            raise bad_request("you must specify at least 1 of stdin, stdout, stderr")
        return await start()

    return ProcessConnection(start_with_streams, options.stdin, options.stdout, stderr, options.tty)


def _with_error_prefix(action: str, session: Session) -> Session:
    """Return a session like `session` whose error messages begin with ``error``, `action` and ``container``.

    For example, `action` is ``attaching to``.
    """

    async def saying(streams: ProcessStreams) -> int:
        try:
            return await session(streams)
        except StreamFailed as error:
            raise StreamFailed(f"error {action} container: {error}") from error

    return saying


def _refuse_dry_run(query: Query) -> None:
    if "dryRun" in query:
        raise bad_request("dryRun is not supported")


async def _nodes(stores: Stores, pod: "Pod") -> NodeConnections:
    """Return the NodeConnections by which to reach the containers of a scheduled pod.

    Raises ApiError 400 if the pod is not scheduled. Raises ApiError 404 if its node does not exist, or if the server
    simulates no nodes; as in kube-apiserver, the message then says that a pod was not found.
    """
    node = pod.spec.nodeName
    if not node:
        raise bad_request(f"pod {pod.metadata.name} does not have a host assigned")
    nodes = stores.kind_services.node_connections()
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
    from memkube.apis.core.v1.pods.types import Pod  # noqa: PLC0415  imported only if the server has pods

    return Pod.from_document((await pods.get(namespace, name)).document)

"""The class `Memkube`: a cluster for programs whose calls block until the server has answered."""

from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final, Self, Unpack

from memkube.cluster.asynchronous import AsyncBehaviors, AsyncMemkube, AsyncMetrics, AsyncNodes, AsyncWebhooks
from memkube.cluster.bridge import Blocking, BlockingCalls, Calls, blocking, blocking_as
from memkube.cluster.clock import Clock
from memkube.cluster.faults import Faults
from memkube.cluster.options import Choices, Options
from memkube.cluster.requests import RequestsSeen
from memkube.cluster.running import Reachable, Running
from memkube.cluster.users import User
from memkube.control.nodes import NodeState
from memkube.errors import UsageError
from memkube.server.server import Server

_MAX_PORT: Final = 65535


class Nodes(Blocking[AsyncNodes]):
    """The simulated nodes. Methods except `drain` raise Refused, with 501, if controller ``kubelet`` is disabled.

    Methods that act on a node raise Refused, with 404, for an unknown node. All of them except `drain` raise it with
    409 for a node that is not simulated.
    """

    all = blocking(AsyncNodes.all)
    pools = blocking(AsyncNodes.pools)
    add = blocking(AsyncNodes.add)
    remove = blocking(AsyncNodes.remove)
    reboot = blocking(AsyncNodes.reboot)
    partition = blocking(AsyncNodes.partition)
    heal = blocking(AsyncNodes.heal)
    fail = blocking(AsyncNodes.fail)
    recover = blocking(AsyncNodes.recover)
    drain = blocking(AsyncNodes.drain)
    set_available = blocking(AsyncNodes.set_available)

    def __iter__(self) -> Iterator[NodeState]:
        """Iterate over the states of the simulated nodes, which `all` returns."""
        return iter(self.all())


class Behaviors(Blocking[AsyncBehaviors]):
    """Rules for simulated containers. Methods raise Refused, with 501, if the controller ``kubelet`` is disabled."""

    all = blocking(AsyncBehaviors.all)
    put = blocking(AsyncBehaviors.put)
    delete = blocking(AsyncBehaviors.delete)


class Metrics(Blocking[AsyncMetrics]):
    """Values of custom and external metrics, which HorizontalPodAutoscalers read."""

    all = blocking(AsyncMetrics.all)
    put = blocking(AsyncMetrics.put)
    delete = blocking(AsyncMetrics.delete)


class Webhooks(Blocking[AsyncWebhooks]):
    """TLS servers outside of the cluster that memkube calls instead of Services: webhooks and extension API servers."""

    all = blocking(AsyncWebhooks.all)
    put = blocking(AsyncWebhooks.put)
    delete = blocking(AsyncWebhooks.delete)


class Memkube(Reachable, Blocking[AsyncMemkube]):
    """A Kubernetes API server that runs while the ``with`` block does. Each block starts a new server.

    ::

        with Memkube(nodes=3, clock="stepped") as kube:
            kube.apply("manifests/")

        async with Memkube() as kube:
            await kube.apply("manifests/")

    By default the server has no authentication and no TLS. It listens on loopback. Another `host` needs ``tls=True``,
    or ``insecure=True`` to let everybody use the server. `port` 0 takes a free port.
    Any number of servers run at once and share no state. Methods may be called from any thread. `choices` are the
    options of `memkube.cluster.options.Options`, such as ``nodes``, ``clock``, ``controllers``, ``snapshot`` and
    ``storage``. Raises UsageError for an unknown option or an invalid value, and SnapshotError for a snapshot file that
    cannot be read.

    ``kube.clock``, ``kube.faults``, ``kube.nodes``, ``kube.behaviors``, ``kube.metrics``, ``kube.requests`` and
    ``kube.webhooks`` control the server; ``kube.user`` and ``kube.service_account`` return clients of other users;
    ``kube.asynchronous`` is the same cluster with methods that are awaited.
    ``kube.url``, ``kube.kubeconfig`` and ``kube.kubeconfig_content`` are for clients.

    Every method raises Refused if the API server answers with an error, NotRunning outside of the block, and
    CallTimeout if the server does not answer within 30 seconds.
    """

    apply = blocking(AsyncMemkube.apply)
    create = blocking(AsyncMemkube.create)
    get = blocking(AsyncMemkube.get)
    list = blocking(AsyncMemkube.list)
    patch = blocking(AsyncMemkube.patch)
    scale = blocking(AsyncMemkube.scale)
    delete = blocking(AsyncMemkube.delete)
    logs = blocking(AsyncMemkube.logs)
    exec = blocking(AsyncMemkube.exec)
    events = blocking(AsyncMemkube.events)
    object = blocking(AsyncMemkube.object)
    objects = blocking(AsyncMemkube.objects)
    history = blocking(AsyncMemkube.history)
    wait_for = blocking(AsyncMemkube.wait_for)
    settle = blocking(AsyncMemkube.settle)
    user = blocking_as(User, AsyncMemkube.user)
    service_account = blocking_as(User, AsyncMemkube.service_account)
    audit = blocking(AsyncMemkube.audit)
    snapshot = blocking(AsyncMemkube.snapshot)
    restore = blocking(AsyncMemkube.restore)
    export = blocking(AsyncMemkube.export)
    revision = blocking(AsyncMemkube.revision)
    changes_since = blocking(AsyncMemkube.changes_since)
    explain_scheduling = blocking(AsyncMemkube.explain_scheduling)

    def __init__(self, host: str = "127.0.0.1", port: int = 0, **choices: Unpack[Choices]) -> None:
        _check_address(host, port)
        self._begin(Running(Options.of(**choices), host, port))

    def _begin(self, running: Running) -> None:
        calls = BlockingCalls(running)
        implementation = AsyncMemkube(calls)
        Blocking.__init__(self, implementation)
        self._running = running
        self.asynchronous = AsyncMemkube(Calls(running))
        """The same cluster, with methods that are awaited."""
        self.faults = Faults(implementation.faults)
        """The injected faults; `faults.add` injects a fault."""
        self.clock = Clock(implementation.clock)
        """The server's clock. `clock.advance` advances a stepped clock, which does not move by itself."""
        self.nodes = Nodes(implementation.nodes)
        """The simulated nodes; their kubelets can be stopped."""
        self.behaviors = Behaviors(implementation.behaviors)
        """Rules for the behavior of simulated containers."""
        self.metrics = Metrics(implementation.metrics)
        """Values of custom and external metrics, for autoscalers."""
        self.requests = RequestsSeen(calls)
        """The requests that the server has received."""
        self.webhooks = Webhooks(implementation.webhooks)
        """Servers, usually run by the test, that are called instead of Services."""

    def __enter__(self) -> Self:
        self._running.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._running.stop()

    async def __aenter__(self) -> AsyncMemkube:
        return await self.asynchronous.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.asynchronous.stop()

    def fork(self) -> "Memkube":
        """Return a second cluster with the current state of this one; its own ``with`` block starts it.

        The second cluster has the same options, but keeps its objects in memory. Raises UsageError if the options of
        this cluster are not known, because other code has started its server. Raises Refused if `snapshot` raises it.
        """
        forked = Memkube.__new__(Memkube)
        forked._begin(self._running.fork(self.snapshot()))
        return forked


def running_of(cluster: Memkube) -> Running:
    """Return a cluster's Running, for packages of memkube that need more than the Python API offers."""
    return cluster._running


def cluster_of(server: Server) -> Memkube:
    """Return a running server as a cluster, for code in another thread of its process. It cannot be forked."""
    cluster = Memkube.__new__(Memkube)
    cluster._begin(Running.around(server))
    return cluster


def _check_address(host: Any, port: Any) -> None:
    if not isinstance(host, str):
        raise UsageError(f"option 'host' must be a string, not {host!r}")
    if not isinstance(port, int) or not 0 <= port <= _MAX_PORT:
        raise UsageError(f"option 'port' must be a number from 0 to {_MAX_PORT}, not {port!r}")

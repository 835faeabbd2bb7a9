"""Logs, exec, attach and port-forward of pods, as the kubelet serves them (``pkg/kubelet/server``)."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from memkube.apimachinery.errors import ApiError, bad_request, too_many_requests, unclassified
from memkube.apis.core.v1.pods.stream_options import PodLogOptions
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.kubelet.connections.log_reading import closed, read_log
from memkube.controllers.kubelet.connections.processes import attach_to, play_for_client, write_output
from memkube.controllers.kubelet.connections.servers import check_http, listening, refused
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.containers.container_states import Waiting
from memkube.controllers.kubelet.containers.image_references import base_name
from memkube.controllers.kubelet.containers.log import ContainerLog
from memkube.controllers.kubelet.containers.process import KILLED
from memkube.controllers.kubelet.containers.rules import ContainerRules
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.programs.interpreter import NOT_FOUND, is_simulated, run_program
from memkube.controllers.kubelet.programs.program import Budget, FirstProcess, Traps
from memkube.registry.declarations.streaming import (
    ByteStream,
    HttpAnswer,
    HttpRequest,
    NodeUnreachable,
    PortForwarding,
    ProcessStreams,
    Session,
    StreamFailed,
)
from memkube.time.activity import Activity
from memkube.time.clock import Clock

Find: TypeAlias = Callable[[Pod], SimulatedPod | None]
"""Function that returns the SimulatedPod of a Pod. It raises NodeUnreachable if the pod's node does not respond."""
Touched: TypeAlias = Callable[[Pod], None]
"""Function that is called with a pod when a client's session may have changed the pod's containers."""
RequestTokens: TypeAlias = Callable[[Pod], Awaitable[None]]
"""Function that is called with a pod before a client runs a program in it, to request the pod's tokens."""
_ENDED: Final = ("Succeeded", "Failed")
_RETRY_SECONDS: Final = 1
_RESTARTED: Final = "another server ran it, or this server before its restart"
_IMAGE_REASONS = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


class PodConnections:
    """Serves logs, exec, attach and port-forward of the pods on simulated nodes."""

    def __init__(
        self,
        find: Find,
        touched: Touched,
        request_tokens: RequestTokens,
        rules: ContainerRules,
        clock: Clock,
        most_sessions: int,
    ) -> None:
        self._find = find
        self._request_tokens = request_tokens
        self._rules = rules
        self._touched = touched
        self._clock = clock
        self._most_sessions = most_sessions
        self._sessions: Counter[str] = Counter()

    async def log(self, pod: Pod, container: str, options: PodLogOptions) -> AsyncIterator[bytes]:
        simulated = self._container(pod, container)
        if simulated is not None and simulated.process is not None:
            simulated.process.advance(self._clock.now())
        log = _log(pod, container, simulated, previous=options.previous)
        return read_log(log, options, self._clock.now())

    async def execute(self, pod: Pod, container: str, command: Sequence[str]) -> Session:
        simulated = self._running(pod, container)
        if simulated is None:
            raise unclassified(f'container not found ("{container}")')
        log = simulated.log
        assert simulated.session is not None
        assert log is not None

        def send(signal: str) -> None:
            simulated.signal(signal, self._clock.now())
            self._touched(pod)

        inner = replace(
            simulated.session,
            environment=simulated.session.environment.copy(),
            variables={},
            now=self._clock.now,
            budget=Budget(),
            traps=Traps(),
            first_process=FirstProcess(_command(pod, container), send),
        )

        async def session(streams: ProcessStreams) -> int:
            if not is_simulated(command):
                why = f'exec: "{command[0]}": executable file not found in $PATH'
                message = f"OCI runtime exec failed: exec failed: unable to start container process: {why}: unknown\n"
                await write_output("stderr", message.encode(), streams)
                return NOT_FOUND
            inner.terminal = streams.tty
            await self._request_tokens(pod)
            run = run_program(command, inner)
            return await _while_running(log, play_for_client(run, streams, self._clock), self._clock.activity)

        return self._counted(pod, session)

    async def attach(self, pod: Pod, container: str) -> Session:
        simulated = self._running(pod, container)
        if simulated is None:
            raise unclassified(f"container {container} not found in pod {_full_name(pod)}")
        spec = _spec(pod, container)

        async def session(streams: ProcessStreams) -> int:
            return await attach_to(simulated, spec, streams, self._clock, lambda: self._touched(pod))

        return self._counted(pod, session)

    async def forward(self, pod: Pod) -> PortForwarding:
        simulated = self._find(pod)
        if simulated is None or pod.status.phase in _ENDED:
            raise unclassified(f'pod not found ("{_full_name(pod)}")')

        async def forwarding(port: int, stream: ByteStream) -> None:
            server = listening(pod, simulated, self._rules).get(port)
            if server is None:
                raise refused(pod, port)
            await server.serve(stream, self._clock)

        return forwarding

    async def request(self, pod: Pod, port: int, request: HttpRequest) -> HttpAnswer:
        try:
            simulated = self._find(pod)
        except NodeUnreachable as error:
            raise TimeoutError from error
        servers = {} if simulated is None else listening(pod, simulated, self._rules)
        if port not in servers:
            raise refused(pod, port)
        check_http(servers[port], request)
        return servers[port].answer(request, self._clock.now())

    def _counted(self, pod: Pod, session: Session) -> Session:
        """Wrap a session, so that it counts towards the pod's limit of sessions while it runs.

        Raises ApiError (429) if the pod has too many sessions.
        """
        uid = pod.metadata.uid
        what = f"pod {pod.metadata.name} has {self._most_sessions} exec and attach sessions already"
        if self._sessions[uid] >= self._most_sessions:
            raise too_many_requests(what, _RETRY_SECONDS)

        async def counted(streams: ProcessStreams) -> int:
            if self._sessions[uid] >= self._most_sessions:
                raise StreamFailed(what)
            self._sessions[uid] += 1
            try:
                return await session(streams)
            finally:
                self._sessions[uid] -= 1
                if not self._sessions[uid]:
                    del self._sessions[uid]

        return counted

    def _container(self, pod: Pod, container: str) -> SimulatedContainer | None:
        simulated = self._find(pod)
        return simulated.containers.get(container) if simulated is not None else None

    def _running(self, pod: Pod, container: str) -> SimulatedContainer | None:
        simulated = self._container(pod, container)
        return simulated if simulated is not None and simulated.is_running else None


def _full_name(pod: Pod) -> str:
    """Return ``NAME_NAMESPACE`` of a pod, as the kubelet's error messages name pods."""
    return f"{pod.metadata.name}_{pod.metadata.namespace}"


def _spec(pod: Pod, name: str) -> AnyContainer:
    specs: list[AnyContainer] = [*pod.spec.containers, *pod.spec.initContainers, *pod.spec.ephemeralContainers]
    return next(spec for spec in specs if spec.name == name)


def _command(pod: Pod, name: str) -> tuple[str, ...]:
    """Return the command line of a container's first process. Without a command, it begins with the image's name."""
    spec = _spec(pod, name)
    return (*spec.command, *spec.args) if spec.command else (base_name(spec.image), *spec.args)


def _log(pod: Pod, name: str, container: SimulatedContainer | None, *, previous: bool) -> ContainerLog:
    """Return the log of a container's present or last run; if `previous` is True, the log of the run before it.

    Raises ApiError (400) if there is no such run.
    """
    if previous:
        if container is None or container.last is None:
            raise bad_request(f'previous terminated container "{name}" in pod "{pod.metadata.name}" not found')
        log = container.previous_log if container.is_running or container.ended else container.log
    else:
        log = container.log if container is not None else None
    if log is None:
        if any(one.name == name and one.containerID for one in pod.status.every_container):
            raise bad_request(f'the log of container "{name}" in pod "{pod.metadata.name}" is lost: {_RESTARTED}')
        raise _not_started(pod, name, container)
    return log


def _not_started(pod: Pod, name: str, container: SimulatedContainer | None) -> ApiError:
    reason = container.state.reason if container is not None and isinstance(container.state, Waiting) else ""
    reason = reason or ("PodInitializing" if pod.spec.initContainers else "ContainerCreating")
    why = _IMAGE_REASONS.get(reason, reason)
    return bad_request(f'container "{name}" in pod "{pod.metadata.name}" is waiting to start: {why}')


async def _while_running(log: ContainerLog, program: Coroutine[None, None, int], activity: Activity) -> int:
    """Run a client's program until it ends, or until the container that writes `log` ends. Returns the exit code.

    If the container ends first, the exit code is 137. `activity` counts the unfinished work of the server. While there
    is any, a stepped clock, which moves only when a client advances it, stands still.
    """

    async def end() -> None:
        await closed(log)
        # The container has ended. A stepped clock must not advance until the task that serves the client has resumed,
        # which takes several turns of the event loop.
        activity.begin()

    playing = asyncio.ensure_future(program)
    ended = asyncio.ensure_future(end())
    try:
        await asyncio.wait([playing, ended], return_when=asyncio.FIRST_COMPLETED)
        return playing.result() if playing.done() else KILLED
    finally:
        playing.cancel()
        ended.cancel()
        if ended.done() and not ended.cancelled():
            asyncio.get_running_loop().call_soon(activity.end)

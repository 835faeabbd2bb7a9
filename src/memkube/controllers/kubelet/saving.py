"""Saves and restores pods of simulated nodes: containers, logs, files, and the progress of programs.

When a restored program continues, it is first run again from its last checkpoint (`programs/journal.py`). Clients'
sessions are not saved.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.saved_values import CannotBeSaved, data, instant, instant_or_none
from memkube.controllers.kubelet.containers.behavior import ContainerBehavior
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.containers.container_states import (
    Running,
    Stopping,
    Turn,
    Waiting,
    restored_state,
    saved_state,
)
from memkube.controllers.kubelet.containers.log import ContainerLog
from memkube.controllers.kubelet.containers.probes import ContainerProbes
from memkube.controllers.kubelet.pod import Failure, SimulatedPod, Termination
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.journal import restored_contents, saved_contents
from memkube.controllers.kubelet.programs.program import Session
from memkube.controllers.kubelet.programs.variables import Environment
from memkube.controllers.kubelet.service_variables import ServiceVariables
from memkube.controllers.kubelet.storage.mounts import has_read_only_root
from memkube.controllers.kubelet.storage.persistent_files import PersistentFiles
from memkube.controllers.kubelet.storage.sub_paths import with_sub_paths
from memkube.controllers.kubelet.storage.token_files import PodToken, TokenFiles, TokenKey
from memkube.controllers.kubelet.storage.volumes import shared_volumes
from memkube.controllers.options import ControllerOptions

_BEHAVIOR: Final = set(ContainerBehavior.model_fields)
"""Fields of a rule that configure the behaviour of containers. Its other fields select containers."""


class KubeletState(NamedTuple):
    """State of the kubelets that the saved states of pods refer to."""

    options: ControllerOptions
    persistent: PersistentFiles
    """The files of all PersistentVolumes."""
    service_variables: Callable[[int], ServiceVariables]
    """Function that returns the saved variables of Services with a number. It raises KeyError if there are none."""


def saved_pod(pod: SimulatedPod) -> Document:
    """Return the state of a pod as JSON data.

    Raises CannotBeSaved if a program in the pod has had too many inputs: it could not be run again with the same inputs
    when the state is restored.
    """
    termination = pod.termination
    return {
        "uid": pod.uid,
        "ip": pod.pod_ip,
        "failure": pod.failure,
        "hasSandbox": pod.has_sandbox,
        "phase": pod.phase,
        "due": pod.due,
        "lacksObjects": pod.lacks_objects,
        "started": pod.started,
        "storageCheck": pod.storage_check,
        "remounts": pod.remounts_at,
        "termination": None if termination is None else {"begun": termination.begun, "grace": termination.grace},
        "mount": {
            "delay": pod.mount_delay.total_seconds(),
            "at": pod.mounts_at,
            "attachesSince": pod.attaches_since,
        },
        "volumes": {name: saved_contents(files) for name, files in pod.volumes.items() if name not in pod.claimed},
        "imageVolumes": pod.image_volumes.saved(),
        "written": dict(pod.written),
        "claimed": pod.claimed,
        "tokens": [(*key, token.renews, token.data, token.problem) for key, token in pod.tokens.items()],
        "containers": {name: _saved_container(container) for name, container in pod.containers.items()},
    }


def restored_pod(saved: Document, pod: Pod, images: set[str], kubelet: KubeletState) -> SimulatedPod:
    """Restore a pod from the data that `saved_pod` returned.

    `images` are the images on the pod's node, and `kubelet` has the state that the pod shares with others. Raises
    AttributeError, KeyError, TypeError or ValueError for malformed data.
    """
    restored = SimulatedPod(pod, saved["ip"], images)
    restored.failure = None if saved["failure"] is None else Failure(*saved["failure"])
    restored.has_sandbox, restored.phase = saved["hasSandbox"], saved["phase"]
    restored.started, restored.storage_check = instant_or_none(saved["started"]), instant_or_none(saved["storageCheck"])
    restored.remounts_at = instant_or_none(saved.get("remounts"))
    if (termination := saved["termination"]) is not None:
        restored.termination = Termination(instant(termination["begun"]), termination["grace"])
    restored.mount_delay = timedelta(seconds=saved["mount"]["delay"])
    restored.mounts_at = instant_or_none(saved["mount"]["at"])
    restored.attaches_since = instant_or_none(saved["mount"].get("attachesSince"))
    for audience, seconds, renews, content, problem in saved.get("tokens", ()):
        restored.tokens[TokenKey(audience, seconds)] = PodToken(instant_or_none(renews), data(content), problem)
    restored.volumes.update({name: restored_contents(files) for name, files in saved["volumes"].items()})
    restored.written.update({name: instant(at) for name, at in (saved.get("written") or {}).items()})
    restored.image_volumes.restore(saved.get("imageVolumes") or {})
    restored.use_persistent(saved.get("claimed") or {}, kubelet.persistent)
    spec = pod.spec
    specs: list[AnyContainer] = [*spec.initContainers, *spec.containers, *spec.ephemeralContainers]
    for container in specs:
        if container.name in saved["containers"]:
            simulated = restored.containers[container.name]
            _restore_container(simulated, saved["containers"][container.name], container, restored, kubelet)
    restored.see(pod)
    return restored


def fault_of_pod(saved: Document, document: Document | None, service_variables: Mapping[int, ServiceVariables]) -> str:
    """Return why `saved`, the kubelet's state of a pod in a snapshot, is invalid; empty if it is valid.

    `document` is the Pod object in the snapshot, or None if the snapshot does not contain it. `service_variables` has
    the snapshot's variables of Services, by number.
    """
    if document is None:
        return "there is no such pod"
    try:
        kubelet = KubeletState(ControllerOptions(), PersistentFiles(Informer()), service_variables.__getitem__)
        restored_pod(saved["pod"], Pod.from_document(document), set(), kubelet)
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        return f"the saved state of pod {saved.get('name')} is invalid: {type(fault).__name__}: {fault}"
    return ""


def _saved_container(container: SimulatedContainer) -> Document:
    process, session, stopping = container.process, container.session, container.stopping
    runs = container.is_running and process is not None
    if runs and process is not None and process.journal.is_full:
        raise CannotBeSaved(container.name)
    return {
        "state": saved_state(container.state),
        "last": saved_state(container.last),
        "ended": saved_state(container.ended),
        "runs": container.runs,
        "id": container.container_id,
        "image": container.image,
        "hasImage": container.has_image,
        "puller": container.puller.saved(),
        "backoff": container.backoff.saved(),
        "retries": container.retries,
        "starts": container.starts,
        "behavior": container.behavior.model_dump(mode="json", include=_BEHAVIOR, exclude_defaults=True),
        "hasTerm": container.has_term,
        "saidUnplayed": container.said_unplayed,
        "endsUnplayed": container.ends_unplayed,
        "stopping": None if stopping is None else _saved_stopping(stopping),
        "isReplaced": container.is_replaced,
        "postStart": (container.post_start_ends, container.post_start_problem),
        "wantedImage": container.wanted_image,
        "probes": None if container.probes is None else container.probes.saved(),
        "log": None if container.log is None else container.log.saved(),
        "previousLog": None if container.previous_log is None else container.previous_log.saved(),
        "session": None if session is None else _saved_session(session),
        "process": None if process is None else process.saved(),
    }


def _restore_container(
    container: SimulatedContainer, saved: Document, spec: AnyContainer, pod: SimulatedPod, kubelet: KubeletState
) -> None:
    state, last, ended = (restored_state(saved[name]) for name in ("state", "last", "ended"))
    container.state = state or Waiting()
    container.last = None if last is None or isinstance(last, Running | Waiting) else last
    container.ended = None if ended is None or isinstance(ended, Running | Waiting) else ended
    container.runs, container.container_id, container.image = saved["runs"], saved["id"], saved["image"]
    container.has_image = saved["hasImage"]
    container.puller.restore(saved["puller"])
    container.backoff.restore(saved["backoff"])
    container.retries, container.starts = instant_or_none(saved["retries"]), instant_or_none(saved["starts"])
    container.behavior = ContainerBehavior.model_validate(saved["behavior"])
    container.has_term, container.said_unplayed = saved["hasTerm"], saved["saidUnplayed"]
    container.ends_unplayed = instant_or_none(saved.get("endsUnplayed"))
    if saved["stopping"] is not None:
        container.stopping = _restored_stopping(saved["stopping"])
    container.is_replaced = saved.get("isReplaced", False)
    post_start_ends, container.post_start_problem = saved.get("postStart", (None, ""))
    container.post_start_ends = instant_or_none(post_start_ends)
    container.wanted_image = saved.get("wantedImage", spec.image)
    container.log, container.previous_log = (
        _restored_log(saved[name], kubelet.options) for name in ("log", "previousLog")
    )
    if saved["probes"] is not None:
        container.probes = ContainerProbes(spec, instant(saved["probes"]["began"]))
        container.probes.restore(saved["probes"])
    if saved["session"] is not None and saved["process"] is not None and container.log is not None:
        started = instant(saved["process"]["instant"])
        container.session = _restored_session(saved["session"], spec, pod, kubelet, started)
        container.process = container.played(spec, container.session, started, container.log)
        container.process.restore(saved["process"])


def _saved_stopping(stopping: Stopping) -> tuple[object, ...]:
    turn = stopping.turn
    return stopping.ends, stopping.code, stopping.signals, None if turn is None else (turn.since, turn.grace)


def _restored_stopping(saved: Sequence[Any]) -> Stopping:
    # Snapshots of earlier versions of memkube lack the fourth value.
    ends, code, signals, turn = (*saved, None)[:4]
    return Stopping(instant(ends), code, instant(signals), None if turn is None else Turn(instant(turn[0]), turn[1]))


def _restored_log(saved: Document | None, options: ControllerOptions) -> ContainerLog | None:
    if saved is None:
        return None
    log = ContainerLog(options.container_log_bytes, options.log_line_bytes)
    log.restore(saved)
    return log


def _saved_session(session: Session) -> Document:
    mounted, services = session.files.mounted, session.environment.shared
    return {
        "environment": dict(session.environment.own),
        "ofRuntime": list(session.environment.of_runtime),
        "services": services.number if isinstance(services, ServiceVariables) else None,
        "hostname": session.hostname,
        "directory": session.working_directory,
        "user": session.user,
        "groups": session.groups,
        "mounted": dict(mounted),
        "tokenPaths": dict(mounted.paths) if isinstance(mounted, TokenFiles) else {},
        "files": saved_contents(session.files.own),
    }


def _restored_session(
    saved: Document, spec: AnyContainer, pod: SimulatedPod, kubelet: KubeletState, started: datetime
) -> Session:
    mounted: Mapping[str, bytes] = {path: data(content) for path, content in saved["mounted"].items()}
    if paths := {path: TokenKey(*key) for path, key in saved.get("tokenPaths", {}).items()}:
        mounted = TokenFiles(mounted, paths, pod.tokens)
    own = restored_contents(saved["files"])
    environment = Environment(dict(saved["environment"]), of_runtime=saved.get("ofRuntime", ()))
    if (number := saved.get("services")) is not None:
        environment.shared = kubelet.service_variables(number)
    shared = shared_volumes(with_sub_paths(spec, environment), pod.volumes)
    files = Files(mounted, shared, kubelet.options.container_file_bytes, own)
    groups = tuple(saved.get("groups", (0,)))
    files.begin(saved["user"], groups, started.timestamp(), is_read_only=has_read_only_root(spec))
    return Session(
        environment=environment,
        hostname=saved["hostname"],
        files=files,
        now=lambda: started,
        working_directory=saved["directory"],
        user=saved["user"],
        groups=groups,
    )

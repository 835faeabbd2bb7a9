"""A pod on a simulated node, from the start of its first container to the end of its last (``pkg/kubelet``)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.containers.container_states import Ended, Role, is_sidecar, restarts
from memkube.controllers.kubelet.containers.image_references import with_tag
from memkube.controllers.kubelet.containers.setting import Setting
from memkube.controllers.kubelet.network_files import dns_config
from memkube.controllers.kubelet.phase import pod_phase
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.programs.inodes import Contents
from memkube.controllers.kubelet.programs.program import Network
from memkube.controllers.kubelet.resources.resizing import (
    PENDING,
    Deferral,
    reported,
    reported_pod_resources,
    reported_resources,
    requires_restart,
    resized_resources,
    shrink_problem,
    with_resources,
)
from memkube.controllers.kubelet.resources.resource_claims import unprepared_claims
from memkube.controllers.kubelet.service_variables import ServiceVariables
from memkube.controllers.kubelet.storage.claims import claimed_volumes
from memkube.controllers.kubelet.storage.image_volumes import NO_IMAGE_VOLUMES, ImageVolumes
from memkube.controllers.kubelet.storage.local_storage import CHECK_PERIOD, excess, is_evictable
from memkube.controllers.kubelet.storage.mounts import container_mounts, has_content
from memkube.controllers.kubelet.storage.persistent_files import PersistentFiles
from memkube.controllers.kubelet.storage.sub_paths import with_sub_paths
from memkube.controllers.kubelet.storage.token_files import PodTokens
from memkube.controllers.kubelet.storage.volume_objects import next_sync
from memkube.controllers.kubelet.storage.volumes import (
    NotAttached,
    NotMounted,
    changed_volumes,
    check_volumes,
    content_problems,
    mounted_files,
    writable_volumes,
)

_DEADLINE: Final = "DeadlineExceeded"
_DEADLINE_MESSAGE: Final = "Pod was active on the node longer than the specified deadline"
_EVICTED: Final = "Evicted"
_EVICTION_GRACE: Final = 1
PREEMPTING: Final = "Preempting"
PREEMPTED: Final = "Preempted in order to admit critical pod"
_DISRUPTED: Final = "Pod was preempted by Kubelet to accommodate a critical pod."
_PREPARE_DELAY: Final = timedelta(seconds=10)
"""Time after which the kubelet retries the preparation of a pod's devices (``backOffPeriod``)."""
_FIRST_MOUNT_DELAY: Final = timedelta(seconds=0.5)
_LONGEST_MOUNT_DELAY: Final = timedelta(seconds=122)
_LONGEST_ATTACHMENT: Final = timedelta(minutes=2, seconds=3)
"""Time for which a pod waits for the attachment of its volumes before an Event reports the wait."""
_RESIZE_RETRY: Final = timedelta(minutes=3)
"""Time after which the kubelet retries a resize that is deferred, even if no other pod has changed."""
_RESIZE_ERROR_RETRY: Final = timedelta(seconds=10)
"""Time after which the kubelet retries a resize that has failed (``backOffPeriod``)."""
_NEW_SANDBOX: Final = "Pod sandbox changed, it will be killed and re-created."
_MAY_NOT_BE_PULLED: Final = "attempting to pull the image may not succeed."
_MOST_ROUNDS: Final = 1000


@dataclass(slots=True)
class Termination:
    """Planned termination of a pod: its main containers end first, then its sidecars in reverse order."""

    begun: datetime
    grace: int

    def shorten(self, now: datetime, grace: int) -> None:
        """Shorten the remaining grace period of the pod to `grace` seconds, unless it is shorter already."""
        if (now - self.begun).total_seconds() + grace < self.grace:
            self.begun, self.grace = now, grace

    def step(
        self, setting: Setting, specs: Mapping[str, AnyContainer], containers: Mapping[str, SimulatedContainer]
    ) -> None:
        """Stop all running containers. Each sidecar waits for the main containers, and for the sidecars after it.

        `setting` has the current time. `specs` and `containers` have the specs and the states of the pod's containers,
        by name.
        """
        running = [container for container in containers.values() if container.is_running]
        grace = self._left(setting.now)
        for container in running:
            if container.role != "sidecar":
                container.stop(setting, specs[container.name], grace)
        waits = any(container.role == "app" for container in running)
        for container in reversed(running):
            if container.role == "sidecar":
                container.stop(setting, specs[container.name], grace, waits=waits)
                waits = True

    def _left(self, now: datetime) -> int:
        return max(self.grace - int((now - self.begun).total_seconds()), 0)


class Failure(NamedTuple):
    """Reason and message in the status of a pod that its kubelet has marked as failed, such as an evicted pod."""

    reason: str
    message: str
    is_disruption: bool = False
    """True if the pod gets the condition DisruptionTarget: the node ended it for a reason outside of the pod."""
    is_rejection: bool = False
    """True if the node rejected the pod, so that none of its containers was ever created."""
    disruption: str = ""
    """Message of the condition DisruptionTarget; if empty, the condition has `message`."""


class SimulatedPod:
    """State of a pod on its simulated node.

    The method `step` advances the state to the current time of the clock.
    """

    __slots__ = (
        "_actual",
        "_begins",
        "_deadline",
        "_images",
        "_resizing",
        "attaches_since",
        "claimed",
        "containers",
        "deferral",
        "failure",
        "has_sandbox",
        "image_volumes",
        "mount_delay",
        "mounts_at",
        "phase",
        "pod_ip",
        "remounts_at",
        "resize_in_progress",
        "resize_problem",
        "resize_retry",
        "resources",
        "started",
        "storage_check",
        "termination",
        "tokens",
        "uid",
        "volumes",
        "written",
    )

    def __init__(self, pod: Pod, pod_ip: str, images: set[str]) -> None:
        self.uid, self.pod_ip = pod.metadata.uid, pod_ip
        self.failure: Failure | None = None
        self.has_sandbox = False
        self.phase = "Pending"
        self.containers: dict[str, SimulatedContainer] = {}
        self.volumes: dict[str, Contents] = writable_volumes(pod.spec.volumes)
        self.written: dict[str, datetime] = {}
        """Times at which the kubelet last wrote the volumes with files from API objects, by the name of the volume."""
        self.claimed: dict[str, str] = {}
        """Uids of the mounted PersistentVolumes by the names of the pod's volumes."""
        self.tokens: PodTokens = {}
        self.resources = self._actual = reported_pod_resources(pod)
        """Pod-level resources that the kubelet has allocated. They differ from the spec while a resize is deferred."""
        self._images = images
        has_images = any(volume.image is not None for volume in pod.spec.volumes)
        self.image_volumes = ImageVolumes(images, pod.spec.volumes) if has_images else NO_IMAGE_VOLUMES
        self._begins: datetime | None = None
        self.started: datetime | None = None
        self._deadline: datetime | None = None
        self.storage_check: datetime | None = None
        self.termination: Termination | None = None
        self.mount_delay = _FIRST_MOUNT_DELAY
        self.mounts_at: datetime | None = None
        self.attaches_since: datetime | None = None
        """Time since which the pod waits for a volume to be attached."""
        self.remounts_at: datetime | None = None
        """Time at which the kubelet updates the files of mounted volumes."""
        self.deferral: Deferral | None = None
        """The resize of the pod that waits because the node does not accept it; None if no resize waits."""
        self.resize_retry: datetime | None = None
        """Time at which the kubelet next tries a resize that is deferred or fails."""
        self.resize_in_progress: int | None = None
        """Generation of the pod that required the resize in progress; None if no resize is in progress.

        The resize waits for restarts of containers, or has failed and will be retried.
        """
        self.resize_problem = ""
        """Why the resize in progress fails; empty if it does not fail."""
        self._resizing: dict[str, int] = {}
        """Numbers of the runs that end because of a resize, by the name of the container."""
        self._specs(pod)

    @property
    def is_running(self) -> bool:
        """True if any container of the pod is running."""
        return any(container.is_running for container in self.containers.values())

    @property
    def is_ending(self) -> bool:
        """True if the phase of the pod is final, but the kubelet is still stopping some of its containers."""
        return self.phase in ("Succeeded", "Failed") and self.is_running

    @property
    def has_ended(self) -> bool:
        """True if no container of the pod is running, and none will be started."""
        return (self.termination is not None or self.phase in ("Succeeded", "Failed")) and not self.is_running

    @property
    def is_blocked(self) -> bool:
        """True while a postStart hook runs, or a container is stopped because its hook failed.

        The kubelet does this within a sync of the pod. Until the sync has ended, it neither starts nor stops other
        containers of the pod, and does not write the pod's status (``startContainer``).
        """
        return any(container.blocks_pod for container in self.containers.values())

    @property
    def has_unreported_end(self) -> bool:
        """True if a container has ended, and the pod's status does not show this yet. The next step may restart it."""
        return any(container.is_unreported for container in self.containers.values())

    @property
    def service_variables(self) -> Iterator[ServiceVariables]:
        """The environment variables of Services that each container of the pod has."""
        for container in self.containers.values():
            shared = container.session.environment.shared if container.session is not None else None
            if isinstance(shared, ServiceVariables):
                yield shared

    @property
    def due(self) -> datetime | None:
        """Time at which the state of the pod next changes; None if no change is planned."""
        return min(self.dues, default=None)

    @property
    def dues(self) -> list[datetime]:
        """The planned times at which the state of the pod or of its containers changes."""
        if self.has_ended:
            return []
        dues = [container.due for container in self.containers.values()]
        if self.is_blocked:
            return [due for due in dues if due is not None]
        if self.phase not in ("Succeeded", "Failed"):
            dues += [self._deadline, self.mounts_at, self.remounts_at, self.storage_check, self.resize_retry]
            dues.append(self.image_volumes.due)
            dues += [token.renews for token in self.tokens.values() if not token.problem]
        return [due for due in dues if due is not None]

    def step(self, setting: Setting) -> None:
        """Perform all steps of the pod and its containers that are due now, such as mounts and starts of containers.

        `setting` has the current time and what containers depend on: the Pod, the network and configured behaviour.
        """
        pod = setting.context.pod
        specs = self._specs(pod)
        for container in self.containers.values():
            container.is_unreported = False
        self._begin(pod, setting.now)
        if self._awaits_hook(setting, specs):
            return
        self._check_ends(pod, setting)
        self._resize(setting)
        self._remount(setting, specs)
        for _ in range(_MOST_ROUNDS):
            before = self._fingerprint()
            for name, container in self.containers.items():
                container.advance(setting, specs[name])
            if self.termination is not None:
                self.termination.step(setting, specs, self.containers)
            elif self._mount(setting):
                self._run(setting, pod, specs)
            self.phase = self._next_phase(pod)
            self._complete_resize(setting)
            if self._fingerprint() == before:
                return
            self.resume_probes(setting.now)

    def _awaits_hook(self, setting: Setting, specs: Mapping[str, AnyContainer]) -> bool:
        """Perform the steps of running containers that are due, and return True if a postStart hook blocks the pod."""
        if not self.is_blocked:
            return False
        for name, container in self.containers.items():
            container.end_post_start(setting, specs[name])
            container.advance(setting, specs[name])
        return self.is_blocked

    def see(self, pod: Pod) -> None:
        """Read the active deadline from the pod's current spec. This has no effect before the pod has started."""
        if self.started is not None:
            self._begin(pod, self.started)

    def take_over(self, setting: Setting) -> None:
        """Continue a pod that an earlier server ran on the same storage, from the status in the Pod object.

        Containers that have ended are not run again, unless their restart policy says so. Running containers continue.
        Files in the pod's own volumes are lost. `setting` has the Pod object and the current time.
        """
        pod = setting.context.pod
        specs = self._specs(pod)
        run = [one for one in pod.status.every_container if one.containerID and one.name in specs]
        if run:
            self._use_volumes(setting)
            self.image_volumes.assume_pulled()
        for one in run:
            self._images.add(with_tag(one.image))
            self.containers[one.name].take_over(one, setting, specs[one.name])

    @property
    def lacks_objects(self) -> bool:
        """True if the pod waits for a missing object that it refers to, such as a ConfigMap."""
        return self.mounts_at is not None or any(c.is_unconfigured for c in self.containers.values())

    def start_at(self, instant: datetime) -> None:
        """Set the pod's start time to `instant`, even if the pod's status has another start time."""
        self._begins = instant

    def use_persistent(self, claimed: Mapping[str, str], persistent: PersistentFiles) -> None:
        """Mount PersistentVolumes in the pod.

        `claimed` has the uids of the PersistentVolumes, by the names of the volumes in the pod's spec. `persistent` has
        the files of all PersistentVolumes.
        """
        self.claimed = dict(claimed)
        self.volumes.update({name: persistent.of(uid) for name, uid in claimed.items()})

    def follow_rules(self, setting: Setting) -> None:
        """Apply the user's changed rules for container behaviour to the running containers of the pod.

        Only containers whose command is not simulated are affected, and only if they have no configured behaviour yet.
        `setting` has the current time and the changed rules.
        """
        specs = self._specs(setting.context.pod)
        for name, container in self.containers.items():
            container.advance(setting, specs[name])
            container.follow_rules(setting, specs[name])

    def resume_probes(self, now: datetime) -> None:
        """Continue the checks of resting probes, because the pod, its containers or the rules have changed."""
        for container in self.containers.values():
            if container.probes is not None:
                container.probes.resume(now)

    def use_network(self, network: Network) -> None:
        """Give the programs of restored containers access to the pod's network."""
        for container in self.containers.values():
            if container.session is not None:
                container.session.network = network

    def use_mounts(self, pod: Pod, capacity: Mapping[str, str]) -> None:
        """Update the mounts of the pod's containers: sizes, permissions and times of files, as of now.

        The contents of the files are not changed. `capacity` has the resources of the node, which are the sizes of
        volumes on its disk and in its memory.
        """
        for name, spec in self._specs(pod).items():
            if (session := self.containers[name].session) is not None:
                mounting = with_sub_paths(spec, session.environment)
                session.files.mounts = container_mounts(mounting, pod, self.written, capacity)

    def remount_at(self, instant: datetime) -> None:
        """Schedule an update of the files in the pod's volumes for `instant`, unless an earlier one is scheduled."""
        self.remounts_at = instant if self.remounts_at is None else min(instant, self.remounts_at)

    def abandon(self, now: datetime) -> None:
        """Kill all containers of a pod whose Pod object no longer exists."""
        for container in self.containers.values():
            if container.process is not None:
                container.process.kill(now)

    def reboot(self, pod: Pod, now: datetime) -> None:
        """End all containers, because the node reboots. Their restart policies decide which start again.

        Files in memory are lost. Init containers run again.
        """
        for container in self.containers.values():
            container.lose(now)
        if self.phase in ("Succeeded", "Failed"):
            return
        for volume in pod.spec.volumes:
            if volume.emptyDir is not None and volume.emptyDir.medium == "Memory":
                self.volumes.update(writable_volumes([volume]))
        self.has_sandbox = False
        self.mounts_at = None
        for init in pod.spec.initContainers:
            self.containers[init.name].reset()

    def close_logs(self) -> None:
        """Close the logs of all containers of the pod."""
        for container in self.containers.values():
            for log in (container.log, container.previous_log):
                if log is not None:
                    log.close()

    def hurry(self) -> None:
        """Retry at once the steps of the pod that failed because an object was missing."""
        self.mounts_at = None
        for container in self.containers.values():
            container.hurry()

    def _specs(self, pod: Pod) -> Mapping[str, AnyContainer]:
        """Return the specs of all containers of the pod by name, and create the state of each new container."""
        spec = pod.spec
        specs: dict[str, AnyContainer] = {}
        for init in spec.initContainers:
            specs[init.name] = init
            self._add(pod, init, "sidecar" if is_sidecar(init) else "init")
        for app in spec.containers:
            specs[app.name] = app
            self._add(pod, app, "app")
        for ephemeral in spec.ephemeralContainers:
            specs[ephemeral.name] = ephemeral
            self._add(pod, ephemeral, "ephemeral")
        return specs

    def _add(self, pod: Pod, spec: AnyContainer, role: Role) -> None:
        if spec.name not in self.containers:
            resources = reported_resources(pod).get(spec.name, spec.resources)
            self.containers[spec.name] = SimulatedContainer(spec.name, role, self._images, resources)

    def _begin(self, pod: Pod, now: datetime) -> None:
        if self.started is None:
            reported = pod.status.startTime.instant if pod.status.startTime is not None else now
            self.started = self._begins or reported
            self.storage_check = now + CHECK_PERIOD if is_evictable(pod.spec) else None
        seconds = pod.spec.activeDeadlineSeconds
        self._deadline = self.started + timedelta(seconds=seconds) if seconds is not None else None

    def _check_ends(self, pod: Pod, setting: Setting) -> None:
        """Start the termination of the pod if it was deleted, is active for too long, or exceeds its storage limits.

        `setting` has the current time.
        """
        if pod.metadata.deletionTimestamp is not None:
            grace = pod.metadata.deletionGracePeriodSeconds or 0
            if self.termination is None:
                self.termination = Termination(setting.now, grace)
            for container in self.containers.values():
                container.give_up()
            self.termination.shorten(setting.now, grace)
        elif self._deadline is not None and self._deadline <= setting.now and self.phase in ("Pending", "Running"):
            setting.report(Report("Normal", _DEADLINE, _DEADLINE_MESSAGE))
            grace = pod.spec.terminationGracePeriodSeconds or 0
            self._fail(Failure(_DEADLINE, _DEADLINE_MESSAGE), setting.now, grace)
        elif self.storage_check is not None and self.storage_check <= setting.now:
            self._check_storage(pod, setting)

    def _check_storage(self, pod: Pod, setting: Setting) -> None:
        self.storage_check = None
        if self.phase not in ("Pending", "Running"):
            return
        if message := excess(pod.spec, self.volumes, self.containers):
            setting.report(Report("Warning", _EVICTED, message))
            self._fail(Failure(_EVICTED, message), setting.now, _EVICTION_GRACE)
        else:
            self.storage_check = setting.now + CHECK_PERIOD

    def evict(self, message: str, now: datetime) -> None:
        """Start the termination of the pod, because its node is under pressure. Its status gets the `message`."""
        self._fail(Failure(_EVICTED, message, is_disruption=True), now, _EVICTION_GRACE)
        self.phase = "Failed"

    def preempt(self, pod: Pod, now: datetime) -> None:
        """Start the termination of the pod, because its node needs the pod's resources for a critical pod."""
        failure = Failure(PREEMPTING, PREEMPTED, is_disruption=True, disruption=_DISRUPTED)
        self._fail(failure, now, pod.spec.terminationGracePeriodSeconds or 0)
        self.phase = "Failed"

    def reject(self, reason: str, message: str, now: datetime) -> None:
        """Fail the pod before any container starts, because its node does not accept it.

        The pod's status gets the `reason`, such as OutOfcpu, and the `message`.
        """
        self._fail(Failure(reason, f"Pod was rejected: {message}", is_rejection=True), now, 0)
        self.phase = "Failed"

    def _fail(self, failure: Failure, now: datetime, grace: int) -> None:
        """Mark the pod as failed for the reason `failure`, and terminate it within `grace` seconds from `now` on.

        A termination that has already begun keeps its grace period.
        """
        self.failure = failure
        self.termination = self.termination or Termination(now, grace)

    def _mount(self, setting: Setting) -> bool:
        """Mount the pod's volumes, check that its devices are prepared, and create its sandbox.

        Returns True when this is done; otherwise, the attempt is repeated later. `setting` has the current time, and
        the volumes and claims that exist now.
        """
        if self.has_sandbox:
            return True
        if self.mounts_at is not None and setting.now < self.mounts_at:
            return False
        try:
            check_volumes(setting.context)
        except NotAttached as problem:
            self._wait_for_attachment(str(problem), setting)
            return False
        except NotMounted as problem:
            setting.report(Report("Warning", "FailedMount", str(problem)))
            self.mounts_at = setting.now + self.mount_delay
            self.mount_delay = min(self.mount_delay * 2, _LONGEST_MOUNT_DELAY)
            return False
        if unprepared := unprepared_claims(setting.context):
            setting.report(Report("Warning", "FailedPrepareDynamicResources", unprepared))
            self.mounts_at = setting.now + _PREPARE_DELAY
            return False
        self.mounts_at = None
        if any(container.runs for container in self.containers.values()):
            setting.report(Report("Normal", "SandboxChanged", _NEW_SANDBOX))
        for message in dns_config(setting.context)[1]:
            setting.report(Report("Warning", "DNSConfigForming", message))
        if missing := setting.context.missing_pull_secrets:
            text = f"Unable to retrieve some image pull secrets ({', '.join(missing)}); {_MAY_NOT_BE_PULLED}"
            setting.report(Report("Warning", "FailedToRetrieveImagePullSecret", text))
        self._use_volumes(setting)
        return True

    def _use_volumes(self, setting: Setting) -> None:
        """Mount the volumes of the pod, with the PersistentVolumes in `setting`, and record that its sandbox exists."""
        self.has_sandbox = True
        volumes = setting.context.pod.spec.volumes
        self.written.update({volume.name: setting.now for volume in volumes if has_content(volume)})
        self.use_persistent(claimed_volumes(setting.context), setting.persistent)

    def _wait_for_attachment(self, problem: str, setting: Setting) -> None:
        """Wait until a volume is attached to the node. Record an Event after each two minutes of waiting.

        `problem` is the text of the Event, and `setting` has the current time.
        """
        if self.attaches_since is None:
            self.attaches_since = setting.now
        if setting.now - self.attaches_since >= _LONGEST_ATTACHMENT:
            setting.report(Report("Warning", "FailedMount", problem))
            self.attaches_since = setting.now
        self.mounts_at = self.attaches_since + _LONGEST_ATTACHMENT

    def _remount(self, setting: Setting, specs: Mapping[str, AnyContainer]) -> None:
        """If it is time to update the files in the pod's volumes, update them for the running containers.

        A volume whose ConfigMap or Secret is missing is not changed; the update is repeated at the next sync. `setting`
        has the objects that the volumes refer to, and `specs` the specs of the containers by name.
        """
        if self.remounts_at is None or setting.now < self.remounts_at:
            return
        self.remounts_at = None
        running = [container for container in self.containers.values() if container.is_running]
        if not running:
            return
        failed = content_problems(setting.context)
        for problem in failed.values():
            setting.report(Report("Warning", "FailedMount", problem))
            self.remounts_at = next_sync(self.started or setting.now, setting.now)
        for container in running:
            container.advance(setting, specs[container.name])
            if container.session is not None:
                files = container.session.files
                spec = with_sub_paths(specs[container.name], container.session.environment)
                before, files.mounted = files.mounted, mounted_files(spec, setting.context, files.mounted, failed)
                self.written.update(dict.fromkeys(changed_volumes(spec, before, files.mounted), setting.now))
        self.use_mounts(setting.context.pod, setting.context.allocatable)

    def _resize(self, setting: Setting) -> None:
        """Give the containers the CPU and memory in the pod's spec, or defer this until the node accepts them.

        Containers whose ``resizePolicy`` requires it are restarted. `setting` has the pod and the current time.
        """
        pod, self.resize_retry = setting.context.pod, None
        spec = pod.spec
        if self.termination is not None or self.phase not in ("Pending", "Running"):
            self.deferral, self.resize_in_progress, self.resize_problem = None, None, ""
            return
        self._carry_out_resize(setting)
        changed = [
            (each, names)
            for each in (*spec.initContainers, *spec.containers)
            if (names := resized_resources(self.containers[each.name], each, self.resources, spec.resources))
        ]
        if not changed and self.resources == spec.resources:
            self.deferral = None
            return
        if problem := setting.resize_problem():
            self._defer_resize(setting, problem)
            return
        self.deferral, self.resize_in_progress, self.resize_problem = None, pod.metadata.generation, ""
        setting.report(reported(pod, spec, "ResizeStarted", pod.metadata.generation))
        self.resources = spec.resources
        for each, names in changed:
            container = self.containers[each.name]
            container.resources = each.resources
            container.reset_backoff()
            if container.is_running and requires_restart(each, names):
                grace = spec.terminationGracePeriodSeconds or 0
                container.replace(setting, each, grace, f"Container {each.name} resize requires restart")
                self._resizing[each.name] = container.runs
        self._carry_out_resize(setting)

    def allocated_spec(self, spec: PodSpec) -> PodSpec:
        """Return the pod's spec with the resources that its node has allocated.

        They differ from those in the spec while a resize is deferred.
        """
        if self.deferral is None:
            return spec
        return with_resources(spec, {name: c.resources for name, c in self.containers.items()}, self.resources)

    def actual_spec(self, spec: PodSpec) -> PodSpec:
        """Return the pod's spec with the resources that the pod has now.

        They differ from those in the spec while a resize is deferred or in progress.
        """
        if self.deferral is None and self.resize_in_progress is None:
            return spec
        return with_resources(spec, {name: c.actual for name, c in self.containers.items()}, self._actual)

    def _carry_out_resize(self, setting: Setting) -> None:
        """Give the running containers the allocated resources, if a resize is in progress.

        The resize fails, and is retried later, if the containers use more memory than their new limits. `setting` has
        the pod and the current time.
        """
        pod, generation = setting.context.pod, self.resize_in_progress
        if generation is None:
            return
        before, after = self.actual_spec(pod.spec), self.allocated_spec(pod.spec)
        running = {name for name, c in self.containers.items() if c.is_running and name not in self._resizing}
        problem = shrink_problem(before, after, running, setting.memory)
        if problem:
            if problem != self.resize_problem:
                setting.report(reported(pod, after, "ResizeError", generation, problem))
            self.resize_problem, self.resize_retry = problem, setting.now + _RESIZE_ERROR_RETRY
            return
        self.resize_problem, self._actual = "", self.resources
        for name in running:
            self.containers[name].actual = self.containers[name].resources
        self._complete_resize(setting)

    def _complete_resize(self, setting: Setting) -> None:
        """Report that a resize is complete, if it succeeds and all containers that it restarts run again."""
        if self.resize_in_progress is None or self.resize_problem:
            return
        self._resizing = {name: run for name, run in self._resizing.items() if self.containers[name].runs == run}
        if not self._resizing:
            pod, generation, self.resize_in_progress = setting.context.pod, self.resize_in_progress, None
            setting.report(reported(pod, self.allocated_spec(pod.spec), "ResizeCompleted", generation))

    def _defer_resize(self, setting: Setting, problem: str) -> None:
        """Record that a resize waits because of a `problem`, in an Event if it did not wait before."""
        pod = setting.context.pod
        known = find_condition(pod.status.conditions, PENDING)
        if known is None or known.observedGeneration != pod.metadata.generation:
            setting.report(reported(pod, pod.spec, "ResizeDeferred", pod.metadata.generation, problem))
        self.deferral = Deferral(problem, pod.metadata.generation)
        if self.resize_retry is None:
            self.resize_retry = setting.now + _RESIZE_RETRY

    def _run(self, setting: Setting, pod: Pod, specs: Mapping[str, AnyContainer]) -> None:
        if self.is_blocked or not self.image_volumes.pull(setting):
            return
        for name, container in self.containers.items():
            if container.role == "ephemeral" and not container.is_running and not container.runs:
                container.start(setting, specs[name])
        if self.phase in ("Succeeded", "Failed") or self._is_done(pod):
            Termination(setting.now, pod.spec.terminationGracePeriodSeconds or 0).step(setting, specs, self._helpers())
        elif self._initialize(setting, pod):
            for app in pod.spec.containers:
                self._keep_running(setting, pod, app.name, app)
                if self.containers[app.name].blocks_pod:
                    return

    def _initialize(self, setting: Setting, pod: Pod) -> bool:
        """Run the init containers of the pod in order. Returns True when the main containers may start.

        If a main container is running, all init containers have completed, and only sidecars are restarted. Otherwise,
        the last init container that was started has not completed: the containers after it wait for it.
        `setting` has the current time and the inputs of the containers.
        """
        has_begun = any(self.containers[container.name].is_running for container in pod.spec.containers)
        started = [number for number, init in enumerate(pod.spec.initContainers) if self.containers[init.name].has_run]
        last = max(started, default=0)
        for number, init in enumerate(pod.spec.initContainers):
            container, is_initialized = self.containers[init.name], has_begun or number < last
            if container.role == "sidecar":
                self._keep_running(setting, pod, init.name, init)
                if container.blocks_pod or not (container.started or is_initialized):
                    return False
            elif not is_initialized and not (isinstance(container.state, Ended) and container.state.code == 0):
                self._keep_running(setting, pod, init.name, init)
                return False
        return True

    def _keep_running(self, setting: Setting, pod: Pod, name: str, spec: AnyContainer) -> None:
        container = self.containers[name]
        if container.is_running:
            if container.image != spec.image and not container.is_stopping and container.role != "init":
                text = f"Container {name} definition changed, will be restarted"
                if container.role == "sidecar":
                    text = f"Init container {name} definition changed"
                container.replace(setting, spec, pod.spec.terminationGracePeriodSeconds or 0, text)
            return
        ended = container.ended
        if ended is None or (isinstance(spec, Container) and self._restarts(pod, spec, ended)):
            container.start(setting, spec)

    def _is_done(self, pod: Pod) -> bool:
        """True if all main containers of the pod have ended and will not restart."""
        ended = [(container, self.containers[container.name].ended) for container in pod.spec.containers]
        return all(end is not None and not self._restarts(pod, container, end) for container, end in ended)

    def _restarts(self, pod: Pod, spec: Container, ended: Ended) -> bool:
        """True if a container runs again after its end: its policy says so, or the kubelet stopped it for a restart."""
        return self.containers[spec.name].is_replaced or restarts(spec, pod.spec, ended.code)

    def _helpers(self) -> Mapping[str, SimulatedContainer]:
        """Containers that are stopped when all main containers have ended: sidecars and ephemeral ones, by name."""
        return {name: c for name, c in self.containers.items() if c.role in ("sidecar", "ephemeral")}

    def _next_phase(self, pod: Pod) -> str:
        if self.failure is not None:
            return "Failed"
        known = self.phase if self.phase in ("Succeeded", "Failed") else pod.status.phase
        if known in ("Succeeded", "Failed"):
            return known
        is_terminal = self.termination is not None and not self.is_running
        return pod_phase(pod.spec, self.containers, is_terminal=is_terminal)

    def _fingerprint(self) -> tuple[object, ...]:
        states = [(c.state, c.runs, c.started, c.is_stopping) for c in self.containers.values()]
        return (self.phase, self.has_sandbox, *states)

"""Images on a node, and image pulls (``pkg/kubelet/images``)."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, NamedTuple

from memkube.apimachinery.duration import go_duration
from memkube.apimachinery.model import Document
from memkube.controllers.framework.backoff import Backoff
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.saved_values import instant, instant_or_none
from memkube.controllers.kubelet.containers.behavior import ContainerBehavior
from memkube.controllers.kubelet.containers.container_states import new_backoff
from memkube.controllers.kubelet.containers.image_references import split_domain, why_invalid, with_tag
from memkube.controllers.kubelet.containers.setting import Reporter

_SETTLES: Final = timedelta(seconds=1)
"""Time after a failed image pull until the container's reason changes from ErrImagePull to ImagePullBackOff."""

_KNOWN_ERRORS: Final = {
    "RegistryUnavailable": "registry is unavailable",
    "SignatureValidationFailed": "signature validation failed",
}
"""Messages for the errors of the container runtime that become the reason of a waiting container."""

_RETRY: Final = timedelta(seconds=10)
"""Time between two checks for an image that the kubelet cannot pull: the policy is Never, or its name is invalid."""


class ImageWait(NamedTuple):
    """How long a container waits for its image, and the reason and message for the container's status meanwhile."""

    until: datetime
    reason: str = ""
    message: str = ""
    is_new: bool = False
    """True if the reason has changed, so that the container must report it in an Event."""

    @property
    def report(self) -> str:
        """The message of the Event in which the container reports the reason."""
        return f"Error: {self.reason}"


class ImageRequest(NamedTuple):
    """The image that a container or volume needs, its pull policy, and the configured behaviour of its pull."""

    image: str
    policy: str
    behavior: ContainerBehavior
    field_path: str
    """``fieldPath`` of the Events about the pull: that of the container, or empty for a volume."""


@dataclass(slots=True)
class _Pull:
    begun: datetime
    ends: datetime


@dataclass(slots=True)
class ImagePuller:
    """Gets the image of one container or volume. The image is pulled if necessary, which may fail."""

    present: set[str]
    """Names of the images on the node with their tags, to which each pull adds an image."""
    _backoff: Backoff = field(default_factory=new_backoff)
    _pull: _Pull | None = None
    _failed: datetime | None = None
    _failure: str = ""
    _is_backoff_reported: bool = False

    def get(self, request: ImageRequest, now: datetime, report: Reporter) -> ImageWait | None:
        """Pull the image if necessary, and call `report` with each Event about the pull.

        Returns None if the image is on the node. Otherwise returns how long the container must wait, and why.
        """
        if problem := why_invalid(request.image):
            return self._report_invalid(problem, request, now, report)
        if self._pull is not None:
            return self._continue_pull(self._pull, request, now, report)
        is_present = with_tag(request.image) in self.present
        if request.policy == "Never" and not is_present:
            return self._refuse(request, now, report)
        if is_present and request.policy != "Always":
            message = f'Container image "{request.image}" already present on machine and can be accessed by the pod'
            report(Report("Normal", "Pulled", message, request.field_path))
            return None
        if self._failed is not None and self._backoff.waits(self._failed, now):
            return self._back_off(self._failed, request, now, report)
        report(Report("Normal", "Pulling", f'Pulling image "{request.image}"', request.field_path))
        self._pull = _Pull(now, now + timedelta(seconds=request.behavior.pullSeconds))
        return self._continue_pull(self._pull, request, now, report)

    def saved(self) -> Document:
        """Return the state of the image pull as JSON data. The images on the node are saved separately."""
        pull = None if self._pull is None else (self._pull.begun, self._pull.ends)
        failed = {"at": self._failed, "why": self._failure, "settled": self._is_backoff_reported}
        return {"backoff": self._backoff.saved(), "pull": pull, "failed": failed}

    def restore(self, saved: Document) -> None:
        """Restore the state of the image pull. Raises ValueError, TypeError or KeyError for malformed data."""
        self._backoff.restore(saved["backoff"])
        self._pull = None if saved["pull"] is None else _Pull(*map(instant, saved["pull"]))
        failed = saved["failed"]
        self._failed, self._failure = instant_or_none(failed["at"]), failed["why"]
        self._is_backoff_reported = failed["settled"]

    def _continue_pull(self, pull: _Pull, request: ImageRequest, now: datetime, report: Reporter) -> ImageWait | None:
        if now < pull.ends:
            return ImageWait(pull.ends)
        self._pull = None
        if request.behavior.pullError:
            return self._fail(request, now, report)
        self._failed = None
        self.present.add(with_tag(request.image))
        took = go_duration(pull.ends - pull.begun)
        message = f'Successfully pulled image "{request.image}" in {took} ({took} including waiting). '
        report(Report("Normal", "Pulled", f"{message}Image size: 0 bytes.", request.field_path))
        return None

    def _fail(self, request: ImageRequest, now: datetime, report: Reporter) -> ImageWait:
        error = request.behavior.pullError
        reason, message = _evaluated(error, request.image)
        report(Report("Warning", "Failed", f'Failed to pull image "{request.image}": {error}', request.field_path))
        self._backoff.lengthen(now, now)
        self._failed, self._failure, self._is_backoff_reported = now, error, False
        return ImageWait(now + _SETTLES, reason, message, is_new=True)

    def _back_off(self, failed: datetime, request: ImageRequest, now: datetime, report: Reporter) -> ImageWait:
        if now < failed + _SETTLES:
            return ImageWait(failed + _SETTLES, *_evaluated(self._failure, request.image))
        message = f'Back-off pulling image "{request.image}"'
        is_new, self._is_backoff_reported = not self._is_backoff_reported, True
        if is_new:
            report(Report("Normal", "BackOff", message, request.field_path))
        until = failed + self._backoff.delay
        return ImageWait(
            until, "ImagePullBackOff", f"{message}: {': '.join(_evaluated(self._failure, request.image))}", is_new
        )

    def _refuse(self, request: ImageRequest, now: datetime, report: Reporter) -> ImageWait:
        message = f'Container image "{request.image}" is not present with pull policy of Never'
        report(Report("Warning", "ErrImageNeverPull", message, request.field_path))
        return ImageWait(now + _RETRY, "ErrImageNeverPull", message, is_new=True)

    def _report_invalid(self, problem: str, request: ImageRequest, now: datetime, report: Reporter) -> ImageWait:
        image = f'"{request.image}"'
        message = f"Failed to apply default image tag {image}: couldn't parse image name {image}: {problem}"
        report(Report("Warning", "InspectFailed", message, request.field_path))
        return ImageWait(now + _RETRY, "InvalidImageName", message, is_new=True)


def _evaluated(error: str, image: str) -> tuple[str, str]:
    """Return the reason and message for a container whose image pull failed with an `error` (``evalCRIPullErr``)."""
    for reason, problem in _KNOWN_ERRORS.items():
        if error.startswith(reason):
            return reason, f"image pull failed for {image} because the {problem}{error.removeprefix(reason)}"
    return "ErrImagePull", error


def image_id(image: str) -> str:
    """Return a digest for an image. It is computed from the image's name, because its contents are not known."""
    repository = image.partition("@")[0]
    before_tag, _, tag = repository.rpartition(":")
    if before_tag and "/" not in tag:
        repository = before_tag
    domain, path = split_domain(repository)
    return f"{domain}/{path}@sha256:{sha256(image.encode()).hexdigest()}"

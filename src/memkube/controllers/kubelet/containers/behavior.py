"""The configured behaviour of simulated containers.

Users configure it by rules, or by an annotation of the pod; rules take precedence. A container without configured
behaviour does what its command says.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from pydantic import (
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from memkube.apimachinery import labels as label_selectors
from memkube.apimachinery.model import Document
from memkube.apimachinery.strict_model import SelectorText, StrictModel
from memkube.controllers.kubelet.pod_context import AnyContainer, NotConfigured
from memkube.controllers.nodes.amounts import Amount

if TYPE_CHECKING:
    from memkube.apis.core.v1.pods.types import Pod
    from memkube.controllers.kubelet.containers.rules import ContainerRules

Seconds: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
ProbeType: TypeAlias = Literal["startup", "liveness", "readiness"]
_OUT_OF_MEMORY_EXIT_CODE: Final = 137
_FRAMING: Final = frozenset({"connection", "content-length", "transfer-encoding"})
_is_token: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch
ANNOTATION: Final = "memkube.dev/behavior"
"""Annotation of a pod with a ContainerBehavior as JSON for all containers; ``CONTAINER.`` before it selects one."""


class _Strict(StrictModel):
    model_config = ConfigDict(frozen=True)


class ProbeBehavior(_Strict):
    """Period during which a probe of a container succeeds, in seconds since the start of the container.

    It begins at `succeedsAfterSeconds` and ends at `failsAfterSeconds`; without the latter, it does not end.
    """

    succeedsAfterSeconds: Seconds = 0
    failsAfterSeconds: Seconds | None = None
    message: str = Field(default="", description="Message of a failed probe; the kubelet's message if not set.")

    def succeeds(self, seconds: float) -> bool:
        """True if the probe succeeds at this number of seconds after the start of the container."""
        if self.failsAfterSeconds is not None and seconds >= self.failsAfterSeconds:
            return False
        return seconds >= self.succeedsAfterSeconds


class LogBehavior(_Strict):
    """Lines that a simulated container writes to its log at its start.

    If `everySeconds` is set, the container waits so many seconds before each further line, and begins again with the
    first line after the last one.
    """

    lines: tuple[str, ...]
    everySeconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class HttpBehavior(_Strict):
    """A configured response of the HTTP server in a simulated container."""

    port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None,
        description="Port on which the response is sent; if not set, all ports on which the container listens.",
    )
    path: str = Field(
        default="",
        description="Path of the requests that get this response; * and ? stand for any characters. Any path if empty.",
    )
    status: Annotated[int, Field(ge=200, le=599)] = Field(default=200, description="HTTP status code of the response.")
    headers: Mapping[str, str] = Field(default_factory=dict, description="HTTP headers to add to the response.")
    body: str = Field(default="", description="Text to send as the response body.")

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, headers: Mapping[str, str]) -> Mapping[str, str]:
        for name, value in headers.items():
            if not _is_token(name):
                raise ValueError(f"{name!r} is not a valid name of an HTTP header")
            if not value.isprintable():
                raise ValueError(f"the value of the header {name} has characters that are not printable: {value!r}")
            if name.lower() in _FRAMING:
                raise ValueError(f"the header {name} cannot be set, because it is computed from the body")
        return headers


class ContainerBehavior(_Strict):
    """Configured behaviour of a simulated container. For fields that are not set, the container's command decides.

    A container without configured behaviour and without a simulated command starts at once, is ready, and runs until it
    is stopped, which takes no time.
    """

    pullSeconds: Seconds = Field(default=0, description="Seconds that the pull of the image takes.")
    pullError: str = Field(
        default="", description="Error message of a failed image pull; if it is empty, the pull succeeds."
    )
    startDelaySeconds: Seconds = Field(default=0, description="Seconds that the start of the container takes.")
    exitCode: Annotated[int, Field(ge=0, le=255)] | None = Field(
        default=None,
        description="Exit code with which the container ends by itself, instead of running its command.",
    )
    exitAfterSeconds: Seconds = Field(default=0, description="Seconds from the start until the container ends.")
    exitTimes: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Number of runs of the container that end by themselves; each later run continues until it is "
        "stopped. If not set, every run ends.",
    )
    outOfMemory: bool = Field(default=False, description="True if the container ends with the reason OOMKilled.")
    stopSeconds: Seconds | None = Field(
        default=None,
        description="Seconds from the signal TERM until the container ends with exit code 0. If not set, the container "
        "ends at once, or at the end of the grace period if its command ignores TERM.",
    )
    probes: dict[ProbeType, ProbeBehavior] = Field(
        default_factory=dict,
        description="When the container's startup, liveness and readiness probes succeed and fail.",
    )
    log: LogBehavior | None = Field(
        default=None, description="Lines that the container writes to its log, instead of the output of its command."
    )
    http: tuple[HttpBehavior, ...] = Field(
        default=(),
        description="Responses to HTTP requests, also to those of probes. The first one whose port and path match a "
        "request is sent. The container listens on the ports of the responses.",
    )
    cpu: Amount | None = Field(
        default=None,
        description="CPU use while the container runs, as a quantity. If not set, 10 % of its CPU request.",
    )
    memory: Amount | None = Field(
        default=None,
        description="Memory use while the container runs, as a quantity. If not set, 50 % of its memory request.",
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> "ContainerBehavior":
        ends = self.exitCode is not None or self.outOfMemory
        if not ends and (self.exitAfterSeconds or self.exitTimes):
            raise ValueError("exitAfterSeconds and exitTimes need an exitCode or outOfMemory")
        if self.outOfMemory and self.exitCode not in (None, _OUT_OF_MEMORY_EXIT_CODE):
            raise ValueError("a container with outOfMemory ends with exit code 137: remove exitCode")
        return self

    @property
    def plays(self) -> bool:
        """True if this behaviour replaces the container's command: it sets the output or the end of the process."""
        return self.exitCode is not None or self.outOfMemory or self.log is not None

    def ends_run(self, restarts: int) -> bool:
        """True if a run of the container ends by itself. `restarts` is the number of runs before it."""
        ends = self.exitCode is not None or self.outOfMemory
        return ends and (self.exitTimes is None or restarts < self.exitTimes)


NOTHING_SET: Final = ContainerBehavior()
"""Behaviour without any fields, for containers that neither a rule nor an annotation selects."""


class ContainerRule(ContainerBehavior):
    """A configured behaviour for every container that meets the rule's conditions."""

    namespace: str = Field(default="", description="Namespace of the selected pods; any namespace if empty.")
    labelSelector: SelectorText = Field(
        default="", description="Label selector of the selected pods; any labels if empty."
    )
    image: str = Field(
        default="", description="Image of the selected containers; * and ? stand for any characters. Any if empty."
    )
    container: str = Field(default="", description="Name of the selected containers; any name if empty.")

    def saved(self) -> Document:
        """Return the rule for container behaviour as JSON data, for a snapshot."""
        data: Document = self.model_dump(mode="json", exclude_unset=True)
        return data

    def selects(self, namespace: str, labels: Mapping[str, str], container: str, image: str) -> bool:
        """True if this rule for container behaviour selects a container. `labels` are the pod's labels."""
        return (
            self.namespace in ("", namespace)
            and self.container in ("", container)
            and (not self.image or fnmatchcase(image, self.image))
            and self._labels.matches(labels)
        )

    @cached_property
    def _labels(self) -> label_selectors.LabelSelector:
        return label_selectors.parse(self.labelSelector)


def container_behavior(rules: "ContainerRules", pod: "Pod", container: AnyContainer) -> ContainerBehavior:
    """Return the behaviour that one of `rules`, or else an annotation of the pod, configures for a container.

    If there is neither, no field of the behaviour is set. Raises NotConfigured if the annotation is invalid.
    """
    metadata = pod.metadata
    fields = {"namespace": metadata.namespace, "labels": metadata.labels, "annotations": metadata.annotations}
    return behavior_in(rules, fields, container.name, container.image)


def behavior_in(rules: "ContainerRules", metadata: Document, container: str, image: str) -> ContainerBehavior:
    """Return the behaviour that a rule, or else an annotation in the pod's metadata, configures for a container.

    `metadata` has the pod's namespace, labels and annotations. If there is neither a rule nor an annotation, no field
    of the behaviour is set. Raises NotConfigured if the annotation is invalid.
    """
    ruled = rules.behavior(metadata["namespace"], metadata.get("labels") or {}, container, image)
    if ruled is not None:
        return ruled
    annotations: dict[str, str] = metadata.get("annotations") or {}
    for key in (f"{container}.{ANNOTATION}", ANNOTATION):
        if key in annotations:
            try:
                return ContainerBehavior.model_validate_json(annotations[key])
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(part) for part in first["loc"])
                raise NotConfigured(f"annotation {key}: {where}: {first['msg']}") from None
    return NOTHING_SET

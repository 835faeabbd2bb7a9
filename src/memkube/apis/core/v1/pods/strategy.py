"""Strategies of Pods and of their subresources."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.defaults import default_pod, default_spec_of_pod
from memkube.apis.core.v1.pods.strategy_rules import (
    pod_status_warnings,
    pod_warnings,
    prepare_ephemeral_containers_update,
    prepare_new_pod,
    prepare_pod_resize,
    prepare_pod_status_update,
    prepare_pod_update,
)
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.pods.validation import (
    validate_pod,
    validate_pod_ephemeral_containers_update,
    validate_pod_resize,
    validate_pod_status_update,
    validate_pod_update,
)
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.registry.declarations.strategy import FieldPaths, Strategy


class PodStrategy(Strategy[Pod]):
    """Strategy of Pods (``pkg/registry/core/pod/strategy.go``)."""

    graceful: ClassVar[bool] = True
    returns_deleted: ClassVar[bool] = True
    interns_spec: ClassVar[bool] = True
    validates_metadata: ClassVar[bool] = True
    validates_changed_metadata: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def default(self, obj: Pod) -> None:
        default_pod(obj)

    def default_spec(self, spec: PodSpec) -> None:
        default_spec_of_pod(spec)

    def prepare_for_create(self, obj: Pod, now: Time) -> list[str]:
        return prepare_new_pod(obj, now)

    def validate(self, obj: Pod) -> list[FieldError]:
        return validate_pod(obj)

    def warnings_on_create(self, obj: Pod) -> list[str]:
        return pod_warnings(obj)

    def prepare_for_update(self, new: Pod, old: Pod) -> None:
        prepare_pod_update(new, old)

    def validate_update(self, new: Pod, old: Pod) -> list[FieldError]:
        return validate_pod_update(new, old)

    def grace_period(self, obj: Pod, options: DeleteOptions) -> int | None:
        """Return the grace period of the request, else that of the pod; 0 if the pod is unscheduled or has ended."""
        if not obj.spec.nodeName or obj.status.phase in ("Failed", "Succeeded"):
            return 0
        asked = options.gracePeriodSeconds
        period = asked if asked is not None else obj.spec.terminationGracePeriodSeconds or 0
        return period if period >= 0 else 1


class PodStatusStrategy(PodStrategy):
    """Strategy of writes to the ``status`` subresource."""

    validates_changed_metadata: ClassVar[bool] = False
    reset_fields: ClassVar[FieldPaths] = (
        ("spec",),
        ("metadata", "deletionTimestamp"),
        ("metadata", "ownerReferences"),
    )

    def prepare_for_update(self, new: Pod, old: Pod) -> None:
        prepare_pod_status_update(new, old)

    def validate_update(self, new: Pod, old: Pod) -> list[FieldError]:
        return validate_pod_status_update(new, old)

    def warnings_on_update(self, new: Pod, old: Pod) -> list[str]:
        return pod_status_warnings(new)


class PodEphemeralContainersStrategy(PodStrategy):
    """Strategy of writes to the ``ephemeralcontainers`` subresource."""

    reset_fields: ClassVar[FieldPaths] = ()

    def prepare_for_update(self, new: Pod, old: Pod) -> None:
        prepare_ephemeral_containers_update(new, old)

    def validate_update(self, new: Pod, old: Pod) -> list[FieldError]:
        return validate_pod_ephemeral_containers_update(new, old)


class PodResizeStrategy(PodStrategy):
    """Strategy of writes to the ``resize`` subresource."""

    reset_fields: ClassVar[FieldPaths] = ()

    def prepare_for_update(self, new: Pod, old: Pod) -> None:
        prepare_pod_resize(new, old)

    def validate_update(self, new: Pod, old: Pod) -> list[FieldError]:
        return validate_pod_resize(new, old)

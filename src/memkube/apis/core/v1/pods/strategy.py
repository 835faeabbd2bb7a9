"""Strategies of Pods and of their subresources ``status``, ``ephemeralcontainers`` and ``resize``."""

from typing import ClassVar

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
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
from memkube.registry.declarations.strategy import FieldPaths, Strategy


class PodStrategy(Strategy[Pod]):
    """Defaults and validates Pods that clients create and update. A DELETE first grants a Pod its grace period.

    Source: ``pkg/registry/core/pod/strategy.go``.
    """

    graceful: ClassVar[bool] = True
    returns_deleted: ClassVar[bool] = True
    interns_spec: ClassVar[bool] = True
    validates_metadata: ClassVar[bool] = True
    validates_changed_metadata: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    default = staticmethod(default_pod)
    default_spec = staticmethod(default_spec_of_pod)
    prepare_for_create = staticmethod(prepare_new_pod)
    validate = staticmethod(validate_pod)
    warnings_on_create = staticmethod(pod_warnings)
    prepare_for_update = staticmethod(prepare_pod_update)
    validate_update = staticmethod(validate_pod_update)

    def grace_period(self, obj: Pod, options: DeleteOptions) -> int | None:
        """Return the grace period of a pod's deletion in seconds: from the DELETE request, else from the pod.

        Returns 0 if the pod is not scheduled, or if its phase is Succeeded or Failed.
        """
        if not obj.spec.nodeName or obj.status.phase in ("Failed", "Succeeded"):
            return 0
        asked = options.gracePeriodSeconds
        period = asked if asked is not None else obj.spec.terminationGracePeriodSeconds or 0
        return period if period >= 0 else 1


class PodStatusStrategy(PodStrategy):
    """Strategy for writing the ``status`` subresource of Pods, which cannot change the spec."""

    validates_changed_metadata: ClassVar[bool] = False
    reset_fields: ClassVar[FieldPaths] = (
        ("spec",),
        ("metadata", "deletionTimestamp"),
        ("metadata", "ownerReferences"),
    )

    prepare_for_update = staticmethod(prepare_pod_status_update)
    validate_update = staticmethod(validate_pod_status_update)

    def warnings_on_update(self, new: Pod, old: Pod) -> list[str]:
        return pod_status_warnings(new)


class PodEphemeralContainersStrategy(PodStrategy):
    """Strategy for writing the ``ephemeralcontainers`` subresource of Pods, which changes nothing else of the spec."""

    reset_fields: ClassVar[FieldPaths] = ()

    prepare_for_update = staticmethod(prepare_ephemeral_containers_update)
    validate_update = staticmethod(validate_pod_ephemeral_containers_update)


class PodResizeStrategy(PodStrategy):
    """Strategy for writing the ``resize`` subresource of Pods, which changes only requests and limits."""

    reset_fields: ClassVar[FieldPaths] = ()

    prepare_for_update = staticmethod(prepare_pod_resize)
    validate_update = staticmethod(validate_pod_resize)

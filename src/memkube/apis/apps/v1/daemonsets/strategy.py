"""Rules for writing DaemonSets: defaults, validation, and the annotation with the generation of the pod template.

The annotation ``deprecated.daemonset.template.generation`` counts changes of the pod template. kube-apiserver's
internal version has this number in the spec (``pkg/apis/apps/v1/conversion.go``), so every DaemonSet has the
annotation, and clients cannot change it.
"""

from typing import Final

from memkube.apimachinery.time import Time
from memkube.apis.apps.v1.daemonsets.types import DaemonSet
from memkube.apis.apps.v1.daemonsets.validation import (
    default_daemon_set,
    validate_daemon_set,
    validate_daemon_set_status_update,
    validate_daemon_set_update,
)
from memkube.apis.apps.v1.numbers import annotated_number
from memkube.apis.core.v1.workloads import WorkloadStrategy
from memkube.registry.declarations.strategy import StatusStrategy

TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"


class DaemonSetStrategy(WorkloadStrategy[DaemonSet]):
    """Defaults, validation, warnings and template generation of DaemonSets.

    Source: ``pkg/registry/apps/daemonset/strategy.go``.
    """

    validate = staticmethod(validate_daemon_set)
    validate_update = staticmethod(validate_daemon_set_update)

    def default(self, obj: DaemonSet) -> None:
        """Set the defaults of a DaemonSet, and rewrite the template generation annotation as a plain number."""
        default_daemon_set(obj)
        _set_template_generation(obj, _template_generation(obj))

    def prepare_for_create(self, obj: DaemonSet, now: Time) -> list[str]:
        """Clear the status of a new DaemonSet, and set its template generation to at least 1."""
        _set_template_generation(obj, max(1, _template_generation(obj)))
        return super().prepare_for_create(obj, now)

    def warnings_on_create(self, obj: DaemonSet) -> list[str]:
        """Return warnings about the pod template of a new DaemonSet.

        As in kube-apiserver, a name that is not a DNS label causes no warning, unlike for other workloads.
        """
        return self.spec_warnings(obj)

    def prepare_for_update(self, new: DaemonSet, old: DaemonSet) -> None:
        """Discard an update's changes to status, and increment the template generation if the pod template changed."""
        super().prepare_for_update(new, old)
        changed = new.spec.template != old.spec.template
        _set_template_generation(new, _template_generation(old) + changed)

    def warnings_on_update(self, new: DaemonSet, old: DaemonSet) -> list[str]:
        """Return warnings about the pod template of a DaemonSet if an update changed the template."""
        return self.spec_warnings(new) if _template_generation(new) != _template_generation(old) else []


class DaemonSetStatusStrategy(StatusStrategy[DaemonSet], DaemonSetStrategy):
    """Strategy for writing the ``status`` subresource of DaemonSets, which cannot change the spec."""

    validate_update = staticmethod(validate_daemon_set_status_update)

    def prepare_for_update(self, new: DaemonSet, old: DaemonSet) -> None:
        """Discard an update's changes to spec and to the template generation annotation."""
        super().prepare_for_update(new, old)
        _set_template_generation(new, _template_generation(old))


def _set_template_generation(daemon_set: DaemonSet, generation: int) -> None:
    annotations = daemon_set.metadata.annotations
    if annotations.get(TEMPLATE_GENERATION) != str(generation):
        daemon_set.metadata.annotations = {**annotations, TEMPLATE_GENERATION: str(generation)}


def _template_generation(daemon_set: DaemonSet) -> int:
    return annotated_number(daemon_set.metadata.annotations.get(TEMPLATE_GENERATION, "0"))

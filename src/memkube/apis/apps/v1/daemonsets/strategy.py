"""What DaemonSets add to the generic verbs.

How often the template has changed is counted in an annotation, which is a field of the spec inside the reference
(``pkg/apis/apps/v1/conversion.go``): every object has it, and clients cannot change it.
"""

import re
from typing import Final

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.apps.v1.daemonsets.types import DaemonSet
from memkube.apis.apps.v1.daemonsets.validation import (
    default_daemon_set,
    validate_daemon_set,
    validate_daemon_set_status_update,
    validate_daemon_set_update,
)
from memkube.apis.core.v1.workloads import WorkloadStrategy
from memkube.registry.declarations.strategy import StatusStrategy

TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
_LARGEST: Final = 2**63


class DaemonSetStrategy(WorkloadStrategy[DaemonSet]):
    """Source: ``pkg/registry/apps/daemonset/strategy.go``."""

    def default(self, obj: DaemonSet) -> None:
        """See Strategy. Raises ApiError where the template's generation is no number."""
        default_daemon_set(obj)
        _set_template_generation(obj, _template_generation(obj))

    def prepare_for_create(self, obj: DaemonSet, now: Time) -> list[str]:
        """A new DaemonSet has no status yet."""
        _set_template_generation(obj, max(1, _template_generation(obj)))
        return super().prepare_for_create(obj, now)

    def validate(self, obj: DaemonSet) -> list[FieldError]:
        """See Strategy."""
        return validate_daemon_set(obj)

    def warnings_on_create(self, obj: DaemonSet) -> list[str]:
        """About the template alone."""
        return self.spec_warnings(obj)

    def prepare_for_update(self, new: DaemonSet, old: DaemonSet) -> None:
        """The status stays; a changed template is counted."""
        super().prepare_for_update(new, old)
        changed = new.spec.template != old.spec.template
        _set_template_generation(new, _template_generation(old) + changed)

    def validate_update(self, new: DaemonSet, old: DaemonSet) -> list[FieldError]:
        """See Strategy."""
        return validate_daemon_set_update(new, old)

    def warnings_on_update(self, new: DaemonSet, old: DaemonSet) -> list[str]:
        """About a changed template."""
        return self.spec_warnings(new) if _template_generation(new) != _template_generation(old) else []


class DaemonSetStatusStrategy(StatusStrategy[DaemonSet], DaemonSetStrategy):
    """Writes to ``status``."""

    def prepare_for_update(self, new: DaemonSet, old: DaemonSet) -> None:
        """The spec stays, the count of the template's changes included."""
        super().prepare_for_update(new, old)
        _set_template_generation(new, _template_generation(old))

    def validate_update(self, new: DaemonSet, old: DaemonSet) -> list[FieldError]:
        """See Strategy."""
        return validate_daemon_set_status_update(new, old)


def _set_template_generation(daemon_set: DaemonSet, generation: int) -> None:
    annotations = daemon_set.metadata.annotations
    if annotations.get(TEMPLATE_GENERATION) != str(generation):
        daemon_set.metadata.annotations = {**annotations, TEMPLATE_GENERATION: str(generation)}


def _template_generation(daemon_set: DaemonSet) -> int:
    written = daemon_set.metadata.annotations.get(TEMPLATE_GENERATION, "0")
    if not re.fullmatch("[+-]?[0-9]+", written, re.ASCII):
        raise _unreadable(written, "invalid syntax")
    generation = int(written)
    if not -_LARGEST <= generation < _LARGEST:
        raise _unreadable(written, "value out of range")
    return generation


def _unreadable(written: str, why: str) -> Exception:
    reason = f"strconv.ParseInt: parsing {quoted(written)}: {why}"
    return bad_request(f'DaemonSet in version "v1" cannot be handled as a DaemonSet: {reason}')

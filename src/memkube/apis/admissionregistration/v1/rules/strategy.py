"""What policies without a status, and the bindings of all policies, have in common."""

from typing import Any, ClassVar

from memkube.apimachinery.time import Time
from memkube.apis.admissionregistration.v1.rules.validation import static_name_warnings
from memkube.registry.declarations.strategy import M, Strategy


class GenerationStrategy(Strategy[M]):
    """Another spec is a new generation. `M` has a spec."""

    allow_unconditional_update: ClassVar[bool] = False

    def prepare_for_create(self, obj: M, now: Time) -> list[str]:
        """See Strategy."""
        obj.metadata.generation = 1
        return []

    def prepare_for_update(self, new: M, old: M) -> None:
        """See Strategy."""
        changed: Any = new
        current: Any = old
        if changed.spec != current.spec:
            new.metadata.generation = old.metadata.generation + 1

    def warnings_on_create(self, obj: M) -> list[str]:
        """See Strategy."""
        return static_name_warnings(obj.metadata.name)

    def warnings_on_update(self, new: M, old: M) -> list[str]:
        """See Strategy."""
        return static_name_warnings(new.metadata.name)

"""Base strategy of policies without status and of policy bindings."""

from typing import Any, ClassVar

from memkube.apimachinery.time import Time
from memkube.apis.admissionregistration.v1.rules.validation import static_name_warnings
from memkube.registry.declarations.strategy import M, Strategy


class GenerationStrategy(Strategy[M]):
    """Strategy that increments ``metadata.generation`` when the spec changes. Objects must have a field ``spec``."""

    allow_unconditional_update: ClassVar[bool] = False

    def prepare_for_create(self, obj: M, now: Time) -> list[str]:
        obj.metadata.generation = 1
        return []

    def prepare_for_update(self, new: M, old: M) -> None:
        changed: Any = new
        current: Any = old
        if changed.spec != current.spec:
            new.metadata.generation = old.metadata.generation + 1

    def warnings_on_create(self, obj: M) -> list[str]:
        return static_name_warnings(obj.metadata.name)

    def warnings_on_update(self, new: M, old: M) -> list[str]:
        return static_name_warnings(new.metadata.name)

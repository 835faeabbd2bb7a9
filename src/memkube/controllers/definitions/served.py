"""What is served of definitions."""

from dataclasses import dataclass, field
from typing import Any

from memkube.controllers.framework.informer import Informer
from memkube.registry.declarations.resource import Resource


@dataclass(slots=True)
class ServedDefinitions:
    """Outlives those who follow definitions; found in the registry."""

    served: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """What each definition said when it was served, by its name."""
    kept: dict[str, Resource] = field(default_factory=dict)
    """The version in which objects are kept, by the name of the definition."""
    definitions: Informer | None = None

    def may_be_created(self, name: str) -> bool:
        """Whether the definition is not on its way out."""
        stored = self.definitions.get("", name) if self.definitions is not None else None
        conditions = stored.document["status"].get("conditions") or () if stored else ()
        return not any(c["type"] == "Terminating" and c["status"] == "True" for c in conditions)

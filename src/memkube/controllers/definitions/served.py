"""Record of the CustomResourceDefinitions whose kinds the server serves."""

from dataclasses import dataclass, field
from typing import Any

from memkube.controllers.framework.informer import Informer
from memkube.registry.declarations.resource import Resource


@dataclass(slots=True)
class ServedDefinitions:
    """The served definitions. A restore replaces the DefinitionFollower, but not this object."""

    served: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """The spec of each definition as it is served now, by the definition's name."""
    kept: dict[str, Resource] = field(default_factory=dict)
    """The storage version of each definition, by the definition's name."""
    definitions: Informer | None = None

    def may_be_created(self, name: str) -> bool:
        """True if the definition is not terminating, so that objects of its kind may be created."""
        stored = self.definitions.get("", name) if self.definitions is not None else None
        conditions = stored.document["status"].get("conditions") or () if stored else ()
        return not any(c["type"] == "Terminating" and c["status"] == "True" for c in conditions)

"""Record of the CustomResourceDefinitions whose kinds the API server serves."""

from dataclasses import dataclass, field
from typing import Any

from memkube.controllers.framework.informer import Informer
from memkube.registry.declarations.resource import Resource


@dataclass(slots=True)
class ServedDefinitions:
    """The CustomResourceDefinitions whose kinds the server serves.

    After a snapshot is restored, a new DefinitionFollower continues with this object.
    """

    served: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """The parts of each definition from which its served resources were made, by the name of the definition."""
    kept: dict[str, Resource] = field(default_factory=dict)
    """The resource of each definition in its storage version, by the name of the definition."""
    definitions: Informer | None = None

    def may_be_created(self, name: str) -> bool:
        """True unless the CustomResourceDefinition is terminating: no objects of its kind may be created then."""
        stored = self.definitions.get("", name) if self.definitions is not None else None
        conditions = stored.document["status"].get("conditions") or () if stored else ()
        return not any(c["type"] == "Terminating" and c["status"] == "True" for c in conditions)

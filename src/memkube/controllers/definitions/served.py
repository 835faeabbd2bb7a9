"""Record of the CustomResourceDefinitions whose kinds the API server serves."""

from dataclasses import dataclass, field
from typing import Any

from memkube.controllers.framework.informer import Informer
from memkube.registry.declarations.resource import Resource


@dataclass(slots=True)
class ServedDefinitions:
    """The CustomResourceDefinitions whose kinds the server serves.

    After a snapshot is restored, the new controller of CustomResourceDefinitions continues with this object.
    """

    served: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """The parts of each CustomResourceDefinition from which its served resources were made, by its name."""
    kept: dict[str, Resource] = field(default_factory=dict)
    """The resource of each CustomResourceDefinition in its storage version, by its name."""
    definitions: Informer | None = None

    def may_be_created(self, name: str) -> bool:
        """True unless the CustomResourceDefinition is terminating: no objects of its kind may be created then."""
        stored = self.definitions.get("", name) if self.definitions is not None else None
        conditions = stored.document["status"].get("conditions") or () if stored else ()
        return not any(c["type"] == "Terminating" and c["status"] == "True" for c in conditions)

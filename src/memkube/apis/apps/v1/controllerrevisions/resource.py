"""Declaration of ControllerRevisions."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="ControllerRevision",
    plural="controllerrevisions",
    singular="controllerrevision",
    model=Lazy("memkube.apis.apps.v1.controllerrevisions.types:ControllerRevision"),
    strategy=Lazy("memkube.apis.apps.v1.controllerrevisions.strategy:ControllerRevisionStrategy()"),
    printer=Lazy("memkube.apis.apps.v1.controllerrevisions.columns:PRINTER"),
)

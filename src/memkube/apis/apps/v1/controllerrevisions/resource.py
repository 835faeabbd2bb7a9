"""ControllerRevisions, as they are served."""

from memkube.apis.apps.v1.controllerrevisions.columns import PRINTER
from memkube.apis.apps.v1.controllerrevisions.strategy import ControllerRevisionStrategy
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="ControllerRevision",
    plural="controllerrevisions",
    singular="controllerrevision",
    model=ControllerRevision,
    strategy=ControllerRevisionStrategy(),
    printer=PRINTER,
)

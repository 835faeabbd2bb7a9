"""The old address of bindings: ``/namespaces/NAMESPACE/bindings``, where the binding alone names the pod."""

from memkube.apis.core.v1.pods.binding import bind_by_name
from memkube.apis.core.v1.pods.types import Binding
from memkube.registry.resource import Resource
from memkube.registry.strategy import Strategy
from memkube.registry.table import NAME_AND_AGE

RESOURCE = Resource(
    group="",
    version="v1",
    kind="Binding",
    plural="bindings",
    singular="binding",
    verbs=("create",),
    model=Binding,
    strategy=Strategy[Binding](),
    printer=NAME_AND_AGE,
    create=bind_by_name,
)

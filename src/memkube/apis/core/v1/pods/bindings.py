"""The old address of bindings: ``/namespaces/NAMESPACE/bindings``, where the binding alone names the pod."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="Binding",
    plural="bindings",
    singular="binding",
    verbs=("create",),
    model=Lazy("memkube.apis.core.v1.pods.types:Binding"),
    answer=Lazy("memkube.apis.core.v1.pods.binding:bind"),
)

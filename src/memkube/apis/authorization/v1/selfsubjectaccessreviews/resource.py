"""SelfSubjectAccessReviews: may I do this? Asked by POST, never stored."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="authorization.k8s.io",
    version="v1",
    kind="SelfSubjectAccessReview",
    plural="selfsubjectaccessreviews",
    singular="selfsubjectaccessreview",
    namespaced=False,
    verbs=("create",),
    model=Lazy("memkube.apis.authorization.v1.selfsubjectaccessreviews.types:SelfSubjectAccessReview"),
    answer=Lazy("memkube.apis.authorization.v1.answers:self_review"),
)

"""LocalSubjectAccessReviews: may somebody do this in one namespace? Asked by POST, never stored."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="authorization.k8s.io",
    version="v1",
    kind="LocalSubjectAccessReview",
    plural="localsubjectaccessreviews",
    singular="localsubjectaccessreview",
    verbs=("create",),
    model=Lazy("memkube.apis.authorization.v1.localsubjectaccessreviews.types:LocalSubjectAccessReview"),
    answer=Lazy("memkube.apis.authorization.v1.answers:local_review"),
)

"""SubjectAccessReviews: may somebody do this? Asked by POST, never stored."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="authorization.k8s.io",
    version="v1",
    kind="SubjectAccessReview",
    plural="subjectaccessreviews",
    singular="subjectaccessreview",
    namespaced=False,
    verbs=("create",),
    model=Lazy("memkube.apis.authorization.v1.subjectaccessreviews.types:SubjectAccessReview"),
    answer=Lazy("memkube.apis.authorization.v1.answers:review"),
)

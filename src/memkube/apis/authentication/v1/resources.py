"""SelfSubjectReviews: who am I? Asked by POST, never stored."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

SELF_SUBJECT_REVIEWS = Resource(
    group="authentication.k8s.io",
    version="v1",
    kind="SelfSubjectReview",
    plural="selfsubjectreviews",
    singular="selfsubjectreview",
    namespaced=False,
    verbs=("create",),
    model=Lazy("memkube.apis.authentication.v1.types:SelfSubjectReview"),
    answer=Lazy("memkube.apis.authentication.v1.answers:review"),
)

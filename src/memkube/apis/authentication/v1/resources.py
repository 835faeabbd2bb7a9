"""SelfSubjectReviews: who am I? TokenReviews: whose token is this? TokenRequests: give this account a token.

All of them are asked by POST and never stored.
"""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import CreateSubresource, Resource

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
TOKEN_REVIEWS = Resource(
    group="authentication.k8s.io",
    version="v1",
    kind="TokenReview",
    plural="tokenreviews",
    singular="tokenreview",
    namespaced=False,
    verbs=("create",),
    model=Lazy("memkube.apis.authentication.v1.types:TokenReview"),
    answer=Lazy("memkube.apis.authentication.v1.answers:review_token"),
)
TOKEN_REQUESTS = Resource(
    group="authentication.k8s.io",
    version="v1",
    kind="TokenRequest",
    plural="tokenrequests",
    singular="tokenrequest",
    verbs=(),
    model=Lazy("memkube.apis.authentication.v1.types:TokenRequest"),
)
"""Not served by itself: see TOKEN."""
TOKEN = CreateSubresource(
    "token",
    "TokenRequest",
    model=Lazy("memkube.apis.authentication.v1.types:TokenRequest"),
    create=Lazy("memkube.apis.authentication.v1.tokens.request:request_token"),
    group="authentication.k8s.io",
    version="v1",
)
"""``token`` of a service account."""

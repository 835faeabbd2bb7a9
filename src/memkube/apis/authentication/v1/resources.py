"""SelfSubjectReviews: who am I? TokenReviews: whose token is this? TokenRequests: give this account a token.

All of them are asked by POST and never stored.
"""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import CreateSubresource, Resource, review

_GROUP = "authentication.k8s.io"
_PACKAGE = "memkube.apis.authentication.v1"

SELF_SUBJECT_REVIEWS = review(_GROUP, _PACKAGE, "SelfSubjectReview", "review")
TOKEN_REVIEWS = review(_GROUP, _PACKAGE, "TokenReview", "review_token")
TOKEN_REQUESTS = Resource(
    group=_GROUP,
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
    group=_GROUP,
    version="v1",
)
"""``token`` of a service account."""

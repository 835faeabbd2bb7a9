"""Declarations of SelfSubjectReviews, TokenReviews and TokenRequests.

Clients create them by POST to get an answer; they are not stored.
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
"""Declaration of the kind alone; it is served as subresource ``TOKEN`` only."""
TOKEN = CreateSubresource(
    "token",
    "TokenRequest",
    model=Lazy("memkube.apis.authentication.v1.types:TokenRequest"),
    create=Lazy("memkube.apis.authentication.v1.tokens.request:request_token"),
    group=_GROUP,
    version="v1",
)
"""Subresource ``token`` of ServiceAccounts."""

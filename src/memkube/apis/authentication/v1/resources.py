"""Declarations of SelfSubjectReviews, TokenReviews and TokenRequests.

Clients POST these objects and get the result in the response; the objects are not stored.
"""

from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import CreateSubresource, Resource, review

lazy = LazyPackage(__package__)

_GROUP = "authentication.k8s.io"

SELF_SUBJECT_REVIEWS = review(_GROUP, lazy, "SelfSubjectReview", "review")
TOKEN_REVIEWS = review(_GROUP, lazy, "TokenReview", "review_token")
TOKEN_REQUESTS = Resource(
    group=_GROUP,
    version="v1",
    kind="TokenRequest",
    plural="tokenrequests",
    verbs=(),
    model=lazy("types:TokenRequest"),
)
"""Declaration of the kind TokenRequest, which has no path of its own: clients POST it to the subresource `TOKEN`."""
TOKEN = CreateSubresource(
    "token",
    "TokenRequest",
    model=lazy("types:TokenRequest"),
    create=lazy("tokens.request:request_token"),
    group=_GROUP,
    version="v1",
)
"""Declaration of the subresource ``token`` of ServiceAccounts."""

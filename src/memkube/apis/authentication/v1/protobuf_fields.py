"""Field numbers of the authentication.k8s.io/v1 messages. Source: the protobuf tags of the reference's types."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "BoundObjectReference": "kind=1 apiVersion=2 name=3 uid=4",
    "SelfSubjectReview": "metadata=1 status=2",
    "SelfSubjectReviewStatus": "userInfo=1",
    "TokenRequest": "metadata=1 spec=2 status=3",
    "TokenRequestSpec": "audiences=1 expirationSeconds=4 boundObjectRef=3",
    "TokenRequestStatus": "token=1 expirationTimestamp=2",
    "TokenReview": "metadata=1 spec=2 status=3",
    "TokenReviewSpec": "token=1 audiences=2",
    "TokenReviewStatus": "authenticated=1 user=2 audiences=4 error=3",
    "UserInfo": "username=1 uid=2 groups=3 extra=4",
}

"""Field numbers of the authorization.k8s.io/v1 messages. Source: the protobuf tags of the reference's types."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "FieldSelectorAttributes": "rawSelector=1 requirements=2",
    "LabelSelectorAttributes": "rawSelector=1 requirements=2",
    "LocalSubjectAccessReview": "metadata=1 spec=2 status=3",
    "NonResourceAttributes": "path=1 verb=2",
    "NonResourceRule": "verbs=1 nonResourceURLs=2",
    "ResourceAttributes": (
        "namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7 fieldSelector=8 labelSelector=9"
    ),
    "ResourceRule": "verbs=1 apiGroups=2 resources=3 resourceNames=4",
    "SelfSubjectAccessReview": "metadata=1 spec=2 status=3",
    "SelfSubjectAccessReviewSpec": "resourceAttributes=1 nonResourceAttributes=2",
    "SelfSubjectRulesReview": "metadata=1 spec=2 status=3",
    "SelfSubjectRulesReviewSpec": "namespace=1",
    "SubjectAccessReview": "metadata=1 spec=2 status=3",
    "SubjectAccessReviewSpec": "resourceAttributes=1 nonResourceAttributes=2 user=3 groups=4 extra=5 uid=6",
    "SubjectAccessReviewStatus": "allowed=1 denied=4 reason=2 evaluationError=3",
    "SubjectRulesReviewStatus": "resourceRules=1 nonResourceRules=2 incomplete=3 evaluationError=4",
}

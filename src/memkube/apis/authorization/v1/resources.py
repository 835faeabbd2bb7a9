"""Questions about permissions: may somebody do this, may I, and what may I do? Asked by POST, never stored."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource


def _review(kind: str, answer: str, *, namespaced: bool = False) -> Resource:
    return Resource(
        group="authorization.k8s.io",
        version="v1",
        kind=kind,
        plural=f"{kind.lower()}s",
        singular=kind.lower(),
        namespaced=namespaced,
        verbs=("create",),
        model=Lazy(f"memkube.apis.authorization.v1.types:{kind}"),
        answer=Lazy(f"memkube.apis.authorization.v1.answers:{answer}"),
    )


SUBJECT_ACCESS_REVIEWS = _review("SubjectAccessReview", "review")
LOCAL_SUBJECT_ACCESS_REVIEWS = _review("LocalSubjectAccessReview", "local_review", namespaced=True)
SELF_SUBJECT_ACCESS_REVIEWS = _review("SelfSubjectAccessReview", "self_review")
SELF_SUBJECT_RULES_REVIEWS = _review("SelfSubjectRulesReview", "rules_review")

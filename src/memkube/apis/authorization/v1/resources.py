"""Questions about permissions: may somebody do this, may I, and what may I do? Asked by POST, never stored."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

SUBJECT_ACCESS_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    kind="SubjectAccessReview",
    plural="subjectaccessreviews",
    singular="subjectaccessreview",
    namespaced=False,
    verbs=("create",),
    model=Lazy("memkube.apis.authorization.v1.types:SubjectAccessReview"),
    answer=Lazy("memkube.apis.authorization.v1.answers:review"),
)
LOCAL_SUBJECT_ACCESS_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    kind="LocalSubjectAccessReview",
    plural="localsubjectaccessreviews",
    singular="localsubjectaccessreview",
    verbs=("create",),
    model=Lazy("memkube.apis.authorization.v1.types:LocalSubjectAccessReview"),
    answer=Lazy("memkube.apis.authorization.v1.answers:local_review"),
)
SELF_SUBJECT_ACCESS_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    kind="SelfSubjectAccessReview",
    plural="selfsubjectaccessreviews",
    singular="selfsubjectaccessreview",
    namespaced=False,
    verbs=("create",),
    model=Lazy("memkube.apis.authorization.v1.types:SelfSubjectAccessReview"),
    answer=Lazy("memkube.apis.authorization.v1.answers:self_review"),
)
SELF_SUBJECT_RULES_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    kind="SelfSubjectRulesReview",
    plural="selfsubjectrulesreviews",
    singular="selfsubjectrulesreview",
    namespaced=False,
    verbs=("create",),
    model=Lazy("memkube.apis.authorization.v1.types:SelfSubjectRulesReview"),
    answer=Lazy("memkube.apis.authorization.v1.answers:rules_review"),
)

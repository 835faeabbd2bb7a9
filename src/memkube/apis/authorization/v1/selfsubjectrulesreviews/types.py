"""Questions for everything that the client may do in a namespace."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class ResourceRule(ApiModel):
    """Requests for resources that are allowed."""

    verbs: Annotated[list[str], Required()] = Field(default_factory=list, description="What they do; * for anything.")
    apiGroups: list[str] = Field(default_factory=list, description="Groups of the resources; * for any.")
    resources: list[str] = Field(default_factory=list, description="Names of the resources; * for any.")
    resourceNames: list[str] = Field(default_factory=list, description="Names of the objects; empty for all.")


class NonResourceRule(ApiModel):
    """Requests for anything else that are allowed."""

    verbs: Annotated[list[str], Required()] = Field(default_factory=list, description="Their methods; * for any.")
    nonResourceURLs: list[str] = Field(default_factory=list, description="Their paths, possibly ending with *.")


class SelfSubjectRulesReviewSpec(ApiModel):
    """What the question is about."""

    namespace: str = Field(default="", description="Namespace that the question is about.")


class SubjectRulesReviewStatus(ApiModel):
    """Everything that is allowed, in no particular order."""

    resourceRules: Annotated[list[ResourceRule], Required()] = Field(
        default_factory=list, description="Requests for resources that are allowed."
    )
    nonResourceRules: Annotated[list[NonResourceRule], Required()] = Field(
        default_factory=list, description="Other requests that are allowed."
    )
    incomplete: Annotated[bool, Required()] = Field(
        default=False, description="Whether more may be allowed than is told here."
    )
    evaluationError: str = Field(default="", description="What went wrong on the way, if anything.")


class SelfSubjectRulesReview(ApiObject):
    """Everything that the client may do in a namespace."""

    spec: Annotated[SelfSubjectRulesReviewSpec, Required()] = Field(
        default_factory=SelfSubjectRulesReviewSpec, description="What the question is about."
    )
    status: SubjectRulesReviewStatus = Field(
        default_factory=SubjectRulesReviewStatus, description="What is allowed; written by the server."
    )

"""Questions about permissions, and their answers."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import FieldSelectorRequirement, LabelSelectorRequirement
from memkube.apimachinery.model import ApiModel


class FieldSelectorAttributes(ApiModel):
    """Fields that narrow down what a request is about."""

    rawSelector: str = Field(default="", description="The selector as a query would hold it.")
    requirements: list[FieldSelectorRequirement] = Field(default_factory=list, description="The selector in parts.")


class LabelSelectorAttributes(ApiModel):
    """Labels that narrow down what a request is about."""

    rawSelector: str = Field(default="", description="The selector as a query would hold it.")
    requirements: list[LabelSelectorRequirement] = Field(default_factory=list, description="The selector in parts.")


class ResourceAttributes(ApiModel):
    """A request for a resource."""

    namespace: str = Field(default="", description="Namespace of the request; empty for all, or for none.")
    verb: str = Field(default="", description="What the request does, such as get; * for anything.")
    group: str = Field(default="", description="Group of the resource; * for any.")
    version: str = Field(default="", description="Version of the resource; * for any.")
    resource: str = Field(default="", description="Plural name of the resource; * for any.")
    subresource: str = Field(default="", description="Subresource, if any.")
    name: str = Field(default="", description="Name of the object; empty for all.")
    fieldSelector: FieldSelectorAttributes | None = Field(
        default=None, description="Fields that narrow down what the request is about."
    )
    labelSelector: LabelSelectorAttributes | None = Field(
        default=None, description="Labels that narrow down what the request is about."
    )


class NonResourceAttributes(ApiModel):
    """A request for something that is no resource."""

    path: str = Field(default="", description="Path of the request.")
    verb: str = Field(default="", description="Method of the request.")


class SubjectAccessReviewSpec(ApiModel):
    """Whether somebody may do something. Exactly one of the two kinds of attributes is given."""

    resourceAttributes: ResourceAttributes | None = Field(default=None, description="A request for a resource.")
    nonResourceAttributes: NonResourceAttributes | None = Field(
        default=None, description="A request for something that is no resource."
    )
    user: str = Field(default="", description="User that the question is about.")
    groups: list[str] = Field(default_factory=list, description="Groups that the user is in.")
    extra: dict[str, Annotated[list[str], Named("v1.ExtraValue")]] = Field(
        default_factory=dict, description="What else the authenticator says of the user."
    )
    uid: str = Field(default="", description="UID of the user.")


class SubjectAccessReviewStatus(ApiModel):
    """Whether the request is allowed."""

    allowed: Annotated[bool, Required()] = Field(default=False, description="Whether the request is allowed.")
    denied: bool = Field(default=False, description="Whether the request is denied, whatever others say.")
    reason: str = Field(default="", description="Why it is so, for people.")
    evaluationError: str = Field(default="", description="What went wrong on the way, if anything.")


class _AccessReview(ApiObject):
    """What questions about others have in common; the reference repeats it."""

    go_struct: ClassVar[bool] = False

    spec: Annotated[SubjectAccessReviewSpec, Required()] = Field(
        default_factory=SubjectAccessReviewSpec, description="Who wants to do what."
    )
    status: SubjectAccessReviewStatus = Field(
        default_factory=SubjectAccessReviewStatus, description="Whether it may be done; written by the server."
    )


class SubjectAccessReview(_AccessReview):
    """Whether a user or a group may do something."""


class LocalSubjectAccessReview(_AccessReview):
    """Whether a user or a group may do something in the namespace of the question."""


class SelfSubjectAccessReviewSpec(ApiModel):
    """What the client wants to do. Exactly one of the two is given."""

    resourceAttributes: ResourceAttributes | None = Field(default=None, description="A request for a resource.")
    nonResourceAttributes: NonResourceAttributes | None = Field(
        default=None, description="A request for something that is no resource."
    )


class SelfSubjectAccessReview(ApiObject):
    """Whether the client itself may do something."""

    spec: Annotated[SelfSubjectAccessReviewSpec, Required()] = Field(
        default_factory=SelfSubjectAccessReviewSpec, description="What the client wants to do."
    )
    status: SubjectAccessReviewStatus = Field(
        default_factory=SubjectAccessReviewStatus, description="Whether it may; written by the server."
    )


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

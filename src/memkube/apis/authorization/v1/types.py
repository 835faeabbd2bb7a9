from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import FieldSelectorRequirement, LabelSelectorRequirement
from memkube.apimachinery.model import ApiModel


class FieldSelectorAttributes(ApiModel):
    """Field selector of a list, watch or deletecollection request, as raw text or requirements."""

    rawSelector: str = Field(
        default="",
        description="Selector as in a URL query, such as metadata.name=web; mutually exclusive with requirements.",
    )
    requirements: list[FieldSelectorRequirement] = Field(
        default_factory=list,
        description="Parsed requirements, all of which must hold; mutually exclusive with rawSelector.",
    )


class LabelSelectorAttributes(ApiModel):
    """Label selector of a list, watch or deletecollection request, as raw text or requirements."""

    rawSelector: str = Field(
        default="", description="Selector as in a URL query, such as app=web; mutually exclusive with requirements."
    )
    requirements: list[LabelSelectorRequirement] = Field(
        default_factory=list,
        description="Parsed requirements, all of which must hold; mutually exclusive with rawSelector.",
    )


class ResourceAttributes(ApiModel):
    """A request for a resource: verb, API group, resource, namespace, name and selectors."""

    namespace: str = Field(
        default="", description="Namespace of the request; empty for all, or for cluster-scoped resources."
    )
    verb: str = Field(default="", description="Verb of the request, such as get; * for all.")
    group: str = Field(default="", description="API group of the resource; * for all.")
    version: str = Field(default="", description="API version of the resource; * for all.")
    resource: str = Field(default="", description="Plural name of the resource; * for all.")
    subresource: str = Field(default="", description="Subresource of the request, such as status; empty for none.")
    name: str = Field(
        default="", description="Name of the object in the request; empty for all objects of the resource."
    )
    fieldSelector: FieldSelectorAttributes | None = Field(
        default=None, description="Field selector of a list, watch or deletecollection request; unset for none."
    )
    labelSelector: LabelSelectorAttributes | None = Field(
        default=None, description="Label selector of a list, watch or deletecollection request; unset for none."
    )


class NonResourceAttributes(ApiModel):
    """A request for a path that is not a resource, such as ``/healthz``."""

    path: str = Field(default="", description="URL path of the request, such as /healthz.")
    verb: str = Field(default="", description="HTTP method of the request, in lower case.")


class SubjectAccessReviewSpec(ApiModel):
    """A user and a request. Either resourceAttributes or nonResourceAttributes is set."""

    resourceAttributes: ResourceAttributes | None = Field(
        default=None, description="Request for a resource; mutually exclusive with nonResourceAttributes."
    )
    nonResourceAttributes: NonResourceAttributes | None = Field(
        default=None, description="Request for a URL path such as /healthz; mutually exclusive with resourceAttributes."
    )
    user: str = Field(default="", description="Name of the user whose permission is checked.")
    groups: list[str] = Field(default_factory=list, description="Groups that the user is assumed to belong to.")
    extra: dict[str, Annotated[list[str], Named("v1.ExtraValue")]] = Field(
        default_factory=dict, description="Further attributes of the user, as lists of values by key."
    )
    uid: str = Field(default="", description="UID of the user, as an authenticator would report it.")


class SubjectAccessReviewStatus(ApiModel):
    """Decision of the authorizer on the request that an access review describes, with the reason."""

    allowed: Annotated[bool, Required()] = Field(default=False, description="True if the user may make the request.")
    denied: bool = Field(default=False, description="True if the request is denied, whatever other authorizers decide.")
    reason: str = Field(default="", description="Human-readable reason for the decision.")
    evaluationError: str = Field(
        default="", description="Error of the authorizer during the check; the decision may still be valid."
    )


class _AccessReview(ApiObject):
    """Base class with the fields that SubjectAccessReview and LocalSubjectAccessReview have in common."""

    go_struct: ClassVar[bool] = False

    spec: Annotated[SubjectAccessReviewSpec, Required()] = Field(
        default_factory=SubjectAccessReviewSpec,
        description="User, and the request for which the user's permission is checked.",
    )
    status: SubjectAccessReviewStatus = Field(
        default_factory=SubjectAccessReviewStatus,
        description="Decision on the request, and the reason, set by the server.",
    )


class SubjectAccessReview(_AccessReview):
    """Checks whether a user or group may make a request."""


class LocalSubjectAccessReview(_AccessReview):
    """Checks whether a user or group may make a request in the namespace of the review."""


class SelfSubjectAccessReviewSpec(ApiModel):
    """A request that the client may want to make. Either resourceAttributes or nonResourceAttributes is set."""

    resourceAttributes: ResourceAttributes | None = Field(
        default=None, description="Request for a resource; mutually exclusive with nonResourceAttributes."
    )
    nonResourceAttributes: NonResourceAttributes | None = Field(
        default=None, description="Request for a URL path such as /healthz; mutually exclusive with resourceAttributes."
    )


class SelfSubjectAccessReview(ApiObject):
    """Checks whether the client may make a request."""

    spec: Annotated[SelfSubjectAccessReviewSpec, Required()] = Field(
        default_factory=SelfSubjectAccessReviewSpec, description="Request for which the client's permission is checked."
    )
    status: SubjectAccessReviewStatus = Field(
        default_factory=SubjectAccessReviewStatus,
        description="Decision on the request, and the reason, set by the server.",
    )


class ResourceRule(ApiModel):
    """Verbs that the client may use on resources."""

    verbs: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Verbs that the client may use, such as get or list; * for all."
    )
    apiGroups: list[str] = Field(
        default_factory=list, description="API groups of the resources on which the verbs are allowed; * for all."
    )
    resources: list[str] = Field(
        default_factory=list, description="Resources on which the verbs are allowed; * for all."
    )
    resourceNames: list[str] = Field(
        default_factory=list, description="Names of the objects on which the verbs are allowed; all if empty."
    )


class NonResourceRule(ApiModel):
    """Verbs that the client may use on non-resource paths."""

    verbs: Annotated[list[str], Required()] = Field(
        default_factory=list, description="HTTP methods that the client may use, in lower case; * for all."
    )
    nonResourceURLs: list[str] = Field(
        default_factory=list, description="URL paths to which the rule's verbs apply; a path may end with *."
    )


class SelfSubjectRulesReviewSpec(ApiModel):
    """Namespace for which the client's permissions are listed."""

    namespace: str = Field(default="", description="Namespace in which the client's permissions are listed.")


class SubjectRulesReviewStatus(ApiModel):
    """The client's permissions, in no particular order."""

    resourceRules: Annotated[list[ResourceRule], Required()] = Field(
        default_factory=list, description="Verbs that the client may use on resources."
    )
    nonResourceRules: Annotated[list[NonResourceRule], Required()] = Field(
        default_factory=list, description="HTTP methods that the client may use on non-resource paths."
    )
    incomplete: Annotated[bool, Required()] = Field(
        default=False, description="True if the client may have permissions that the rules do not show."
    )
    evaluationError: str = Field(
        default="", description="Error of an authorizer, because of which rules may be missing."
    )


class SelfSubjectRulesReview(ApiObject):
    """Lists the client's permissions in a namespace."""

    spec: Annotated[SelfSubjectRulesReviewSpec, Required()] = Field(
        default_factory=SelfSubjectRulesReviewSpec,
        description="Namespace in which the client's permissions are listed.",
    )
    status: SubjectRulesReviewStatus = Field(
        default_factory=SubjectRulesReviewStatus,
        description="Permissions of the client in the namespace, set by the server.",
    )

"""Webhook configurations: whom to ask before a write."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Bytes, Int32


class ServiceReference(ApiModel):
    """TODO."""

    namespace: Annotated[str, Required()] = Field(default="", description="TODO")
    name: Annotated[str, Required()] = Field(default="", description="TODO")
    path: str | None = Field(default=None, description="TODO")
    port: Int32 | None = Field(default=None, description="TODO")


class WebhookClientConfig(ApiModel):
    """TODO."""

    url: str | None = Field(default=None, description="TODO")
    service: ServiceReference | None = Field(default=None, description="TODO")
    caBundle: Bytes = Field(default="", description="TODO")


class RuleWithOperations(ApiModel):
    """TODO."""

    operations: list[Annotated[str, Named("v1.OperationType", ("*", "CONNECT", "CREATE", "DELETE", "UPDATE"))]] = Field(
        default_factory=list, description="TODO"
    )
    apiGroups: list[str] = Field(default_factory=list, description="TODO")
    apiVersions: list[str] = Field(default_factory=list, description="TODO")
    resources: list[str] = Field(default_factory=list, description="TODO")
    scope: Annotated[str | None, Named("v1.ScopeType", ("*", "Cluster", "Namespaced"))] = Field(
        default=None, description="TODO"
    )


class MatchCondition(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    expression: Annotated[str, Required()] = Field(default="", description="TODO")


class MutatingWebhook(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    clientConfig: Annotated[WebhookClientConfig, Required()] = Field(
        default_factory=WebhookClientConfig, description="TODO"
    )
    rules: list[RuleWithOperations] = Field(default_factory=list, description="TODO")
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None, description="TODO"
    )
    matchPolicy: Annotated[str | None, Named("v1.MatchPolicyType", ("Equivalent", "Exact"))] = Field(
        default=None, description="TODO"
    )
    namespaceSelector: LabelSelector | None = Field(default=None, description="TODO")
    objectSelector: LabelSelector | None = Field(default=None, description="TODO")
    sideEffects: Annotated[
        str | None, Named("v1.SideEffectClass", ("None", "NoneOnDryRun", "Some", "Unknown")), Required()
    ] = Field(default=None, description="TODO")
    timeoutSeconds: Int32 | None = Field(default=None, description="TODO")
    admissionReviewVersions: Annotated[list[str], Required()] = Field(default_factory=list, description="TODO")
    reinvocationPolicy: Annotated[str | None, Named("v1.ReinvocationPolicyType", ("IfNeeded", "Never"))] = Field(
        default=None, description="TODO"
    )
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="TODO"
    )


class MutatingWebhookConfiguration(ApiObject):
    """TODO."""

    webhooks: Annotated[list[MutatingWebhook], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="TODO"
    )


class ValidatingWebhook(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    clientConfig: Annotated[WebhookClientConfig, Required()] = Field(
        default_factory=WebhookClientConfig, description="TODO"
    )
    rules: list[RuleWithOperations] = Field(default_factory=list, description="TODO")
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None, description="TODO"
    )
    matchPolicy: Annotated[str | None, Named("v1.MatchPolicyType", ("Equivalent", "Exact"))] = Field(
        default=None, description="TODO"
    )
    namespaceSelector: LabelSelector | None = Field(default=None, description="TODO")
    objectSelector: LabelSelector | None = Field(default=None, description="TODO")
    sideEffects: Annotated[
        str | None, Named("v1.SideEffectClass", ("None", "NoneOnDryRun", "Some", "Unknown")), Required()
    ] = Field(default=None, description="TODO")
    timeoutSeconds: Int32 | None = Field(default=None, description="TODO")
    admissionReviewVersions: Annotated[list[str], Required()] = Field(default_factory=list, description="TODO")
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="TODO"
    )


class ValidatingWebhookConfiguration(ApiObject):
    """TODO."""

    webhooks: Annotated[list[ValidatingWebhook], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="TODO"
    )

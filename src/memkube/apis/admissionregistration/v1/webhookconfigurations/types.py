"""Webhook configurations: whom to ask before a write."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Bytes, Int32
from memkube.apis.admissionregistration.v1.rules.types import MatchCondition, RuleWithOperations

_VERSIONS = "Versions of AdmissionReview that the webhook understands, the favourite first."


class ServiceReference(ApiModel):
    """A service that a webhook listens behind."""

    namespace: Annotated[str, Required()] = Field(default="", description="Namespace of the service.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the service.")
    path: str | None = Field(default=None, description="Path that requests are sent to.")
    port: Int32 | None = Field(default=None, description="Port of the service; 443 if it is not given.")


class WebhookClientConfig(ApiModel):
    """Where a webhook listens: at a URL or behind a service."""

    url: str | None = Field(default=None, description="Address of the webhook, which begins with https://.")
    service: ServiceReference | None = Field(default=None, description="Service that the webhook listens behind.")
    caBundle: Bytes = Field(
        default="", description="Certificates in PEM that the webhook's own must be signed by; the system's if empty."
    )


class _Webhook(ApiModel):
    """What webhooks of both sorts have in common; the reference repeats it."""

    go_struct: ClassVar[bool] = False

    name: Annotated[str, Required()] = Field(default="", description="Name of the webhook, with at least two dots.")
    clientConfig: Annotated[WebhookClientConfig, Required()] = Field(
        default_factory=WebhookClientConfig, description="Where the webhook listens."
    )
    rules: list[RuleWithOperations] = Field(default_factory=list, description="Which requests it is asked about.")
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None, description="What becomes of the request when the webhook fails: Fail or Ignore."
    )
    matchPolicy: Annotated[str | None, Named("v1.MatchPolicyType", ("Equivalent", "Exact"))] = Field(
        default=None, description="Whether rules hold for other versions of their resources too: Equivalent or Exact."
    )
    namespaceSelector: LabelSelector | None = Field(
        default=None, description="Which namespaces it is asked about, by their labels."
    )
    objectSelector: LabelSelector | None = Field(
        default=None, description="Which objects it is asked about, by their labels before or after the change."
    )
    sideEffects: Annotated[
        str | None, Named("v1.SideEffectClass", ("None", "NoneOnDryRun", "Some", "Unknown")), Required()
    ] = Field(default=None, description="Whether the webhook does anything else: None or NoneOnDryRun.")
    timeoutSeconds: Int32 | None = Field(default=None, description="Seconds that the webhook may take, 1 to 30.")
    admissionReviewVersions: Annotated[list[str], Required()] = Field(default_factory=list, description=_VERSIONS)


class ValidatingWebhook(_Webhook):
    """A webhook that may refuse requests."""

    go_struct: ClassVar[bool] = True

    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Expressions that must all hold for the webhook to be asked."
    )


class MutatingWebhook(_Webhook):
    """A webhook that may change and refuse requests."""

    go_struct: ClassVar[bool] = True

    reinvocationPolicy: Annotated[str | None, Named("v1.ReinvocationPolicyType", ("IfNeeded", "Never"))] = Field(
        default=None, description="Whether it is asked again after others have changed the object: Never or IfNeeded."
    )
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Expressions that must all hold for the webhook to be asked."
    )


class MutatingWebhookConfiguration(ApiObject):
    """Webhooks that may change and refuse requests."""

    webhooks: Annotated[list[MutatingWebhook], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="The webhooks, and what they are asked about."
    )


class ValidatingWebhookConfiguration(ApiObject):
    """Webhooks that may refuse requests."""

    webhooks: Annotated[list[ValidatingWebhook], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="The webhooks, and what they are asked about."
    )

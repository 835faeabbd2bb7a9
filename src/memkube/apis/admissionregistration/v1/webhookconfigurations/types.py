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
    """Namespace, name, path and port of the service that forwards requests to a webhook."""

    namespace: Annotated[str, Required()] = Field(
        default="", description="Namespace of the service that forwards requests to the webhook."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the service that forwards requests to the webhook."
    )
    path: str | None = Field(default=None, description="URL path of requests to the webhook; / if unset.")
    port: Int32 | None = Field(
        default=None, description="Port of the service at which the webhook is called; 443 by default."
    )


class WebhookClientConfig(ApiModel):
    """Address of a webhook (a URL or a service) and the CA bundle that verifies its certificate."""

    url: str | None = Field(default=None, description="URL of the webhook; must begin with https://.")
    service: ServiceReference | None = Field(
        default=None, description="Service through which the API server calls the webhook, instead of url."
    )
    caBundle: Bytes = Field(
        default="",
        description="PEM certificates of the CAs trusted to sign the webhook's certificate; the system's CAs if empty.",
    )


class _Webhook(ApiModel):
    """Base class with the fields that ValidatingWebhook and MutatingWebhook have in common."""

    go_struct: ClassVar[bool] = False

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the webhook, a domain name of at least three segments."
    )
    clientConfig: Annotated[WebhookClientConfig, Required()] = Field(
        default_factory=WebhookClientConfig,
        description="URL or service of the webhook, and the CAs that verify its certificate.",
    )
    rules: list[RuleWithOperations] = Field(
        default_factory=list, description="Operations and resources for which the webhook is called."
    )
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None, description="Action if the call fails: Fail, which rejects the request, or Ignore."
    )
    matchPolicy: Annotated[str | None, Named("v1.MatchPolicyType", ("Equivalent", "Exact"))] = Field(
        default=None,
        description="Equivalent if rules match requests for other versions of their resources too; otherwise Exact.",
    )
    namespaceSelector: LabelSelector | None = Field(
        default=None, description="Label selector for the namespaces of matching requests."
    )
    objectSelector: LabelSelector | None = Field(
        default=None, description="Label selector that the object must match, before or after the change."
    )
    sideEffects: Annotated[
        str | None, Named("v1.SideEffectClass", ("None", "NoneOnDryRun", "Some", "Unknown")), Required()
    ] = Field(
        default=None, description="Side effects of a call: None, or NoneOnDryRun if only calls without dryRun have any."
    )
    timeoutSeconds: Int32 | None = Field(default=None, description="Timeout of a call in seconds, 1 to 30.")
    admissionReviewVersions: Annotated[list[str], Required()] = Field(default_factory=list, description=_VERSIONS)


class ValidatingWebhook(_Webhook):
    """A webhook that may reject requests."""

    go_struct: ClassVar[bool] = True

    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="CEL conditions that must all hold for the webhook to be called."
    )


class MutatingWebhook(_Webhook):
    """A webhook that may change and reject requests."""

    go_struct: ClassVar[bool] = True

    reinvocationPolicy: Annotated[str | None, Named("v1.ReinvocationPolicyType", ("IfNeeded", "Never"))] = Field(
        default=None,
        description="Whether the webhook is reinvoked after other plugins changed the object: Never or IfNeeded.",
    )
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="CEL conditions that must all hold for the webhook to be called."
    )


class MutatingWebhookConfiguration(ApiObject):
    """Webhooks that may change and reject requests."""

    webhooks: Annotated[list[MutatingWebhook], MapList(("name",)), Merge("name")] = Field(
        default_factory=list,
        description="Webhooks, each with its address and with rules for the requests that it receives.",
    )


class ValidatingWebhookConfiguration(ApiObject):
    """Webhooks that may reject requests."""

    webhooks: Annotated[list[ValidatingWebhook], MapList(("name",)), Merge("name")] = Field(
        default_factory=list,
        description="Webhooks, each with its address and with rules for the requests that it receives.",
    )

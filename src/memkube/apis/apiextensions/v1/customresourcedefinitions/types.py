"""The fields of CustomResourceDefinitions (apiextensions ``pkg/apis/apiextensions/v1/types.go``)."""

from typing import Annotated

from pydantic import Field, PlainValidator

from memkube.apimachinery.markers import Always, DescribedBy, MapList, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Bytes, Int32, Int64, Time
from memkube.apis.apiextensions.v1.customresourcedefinitions.json_schema import (
    JSONSchemaProps,
    ReadSchema,
    read_schema,
)


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


class WebhookConversion(ApiModel):
    """Who converts objects between versions."""

    clientConfig: WebhookClientConfig | None = Field(default=None, description="Where the webhook listens.")
    conversionReviewVersions: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Versions of ConversionReview that it understands, the favourite first."
    )


class CustomResourceConversion(ApiModel):
    """How objects get from one version into another."""

    strategy: Annotated[str, Named("v1.ConversionStrategyType"), Required()] = Field(
        default="", description="None, where only apiVersion changes, or Webhook."
    )
    webhook: WebhookConversion | None = Field(default=None, description="Who converts them, for Webhook.")


class CustomResourceDefinitionNames(ApiModel):
    """What a kind is called."""

    plural: Annotated[str, Required()] = Field(default="", description="The name in addresses.")
    singular: str = Field(default="", description="The name of one; the kind in lower case if it is not given.")
    shortNames: list[str] = Field(default_factory=list, description="Short names for people.")
    kind: Annotated[str, Required()] = Field(default="", description="The kind of objects.")
    listKind: str = Field(default="", description="The kind of lists; the kind with List behind it if not given.")
    categories: list[str] = Field(default_factory=list, description="Groups of resources that it belongs to.")


class CustomResourceValidation(ApiModel):
    """What objects look like."""

    openAPIV3Schema: Annotated[ReadSchema | None, PlainValidator(read_schema), DescribedBy(JSONSchemaProps)] = Field(
        default=None, description="The schema of whole objects."
    )


class CustomResourceSubresourceStatus(ApiModel):
    """The status, written apart from the rest."""


class CustomResourceSubresourceScale(ApiModel):
    """Where the numbers of a Scale are found."""

    specReplicasPath: Annotated[str, Required()] = Field(
        default="", description="Path below .spec of the number that is wanted."
    )
    statusReplicasPath: Annotated[str, Required()] = Field(
        default="", description="Path below .status of the number that there is."
    )
    labelSelectorPath: str | None = Field(
        default=None, description="Path below .spec or .status of a selector, as text."
    )


class CustomResourceSubresources(ApiModel):
    """Paths behind objects."""

    status: CustomResourceSubresourceStatus | None = Field(default=None, description="The status on its own.")
    scale: CustomResourceSubresourceScale | None = Field(default=None, description="The object as a Scale.")


class CustomResourceColumnDefinition(ApiModel):
    """A column of tables."""

    name: Annotated[str, Required()] = Field(default="", description="What stands above it.")
    type: Annotated[str, Required()] = Field(default="", description="Type of its cells.")
    format: str = Field(default="", description="Form of its cells.")
    description: str = Field(default="", description="What it shows.")
    priority: Int32 = Field(default=0, description="Only the wide form shows it if this is over 0.")
    jsonPath: Annotated[str, Required()] = Field(default="", description="Where objects have what it shows.")


class SelectableField(ApiModel):
    """A field that objects can be selected by."""

    jsonPath: Annotated[str, Required()] = Field(default="", description="Where objects have it.")


class CustomResourceDefinitionVersion(ApiModel):
    """A version of the kind."""

    name: Annotated[str, Required()] = Field(default="", description="The version's name.")
    served: Annotated[bool, Required()] = Field(default=False, description="Whether it is served.")
    is_storage: Annotated[bool, Required()] = Field(
        default=False, alias="storage", description="Whether objects are stored in it."
    )
    deprecated: bool = Field(default=False, description="Whether its use is warned of.")
    deprecationWarning: str | None = Field(default=None, description="The words of that warning.")
    schema_: CustomResourceValidation | None = Field(
        default=None, alias="schema", description="What objects look like in this version."
    )
    subresources: CustomResourceSubresources | None = Field(default=None, description="Paths behind objects.")
    additionalPrinterColumns: list[CustomResourceColumnDefinition] = Field(
        default_factory=list, description="Columns of tables; the age if there are none."
    )
    selectableFields: list[SelectableField] = Field(
        default_factory=list, description="Fields that objects can be selected by, besides name and namespace."
    )


class CustomResourceDefinitionSpec(ApiModel):
    """A kind: its names, its versions."""

    group: Annotated[str, Required()] = Field(default="", description="The API group of the kind.")
    names: Annotated[CustomResourceDefinitionNames, Required()] = Field(
        default_factory=CustomResourceDefinitionNames, description="What the kind is called."
    )
    scope: Annotated[str, Named("v1.ResourceScope"), Required()] = Field(
        default="", description="Cluster or Namespaced."
    )
    versions: Annotated[list[CustomResourceDefinitionVersion], Required()] = Field(
        default_factory=list, description="The versions of the kind."
    )
    conversion: CustomResourceConversion | None = Field(
        default=None, description="How objects get from one version into another."
    )
    preserveUnknownFields: bool = Field(default=False, description="Not supported any more: must be false.")


class CustomResourceDefinitionCondition(ApiModel):
    """What is known of a definition."""

    type: Annotated[str, Named("v1.CustomResourceDefinitionConditionType"), Required()] = Field(
        default="", description="What is known: Established, NamesAccepted, Terminating and others."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(default=None, description="When the status changed.")
    reason: str = Field(default="", description="Why, in one word.")
    message: str = Field(default="", description="Why, for people.")
    observedGeneration: Int64 = Field(default=0, description="The generation that this was found of.")


class CustomResourceDefinitionStatus(ApiModel):
    """How far the kind is served."""

    conditions: Annotated[list[CustomResourceDefinitionCondition], MapList(("type",)), Always()] = Field(
        default_factory=list, description="What is known of the definition."
    )
    acceptedNames: Annotated[CustomResourceDefinitionNames, Always()] = Field(
        default_factory=CustomResourceDefinitionNames, description="The names that the kind is served under."
    )
    storedVersions: Annotated[list[str], Always()] = Field(
        default_factory=list, description="Versions that objects may be stored in."
    )
    observedGeneration: Int64 = Field(default=0, description="The generation that the status was found of.")


class CustomResourceDefinition(ApiObject):
    """A kind that clients bring."""

    spec: Annotated[CustomResourceDefinitionSpec, Required()] = Field(
        default_factory=CustomResourceDefinitionSpec, description="The kind: its names, its versions."
    )
    status: CustomResourceDefinitionStatus = Field(
        default_factory=CustomResourceDefinitionStatus, description="How far the kind is served."
    )

"""API types of CustomResourceDefinitions (apiextensions ``pkg/apis/apiextensions/v1/types.go``)."""

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
    """Namespace, name, path and port of the service that forwards requests to a conversion webhook."""

    namespace: Annotated[str, Required()] = Field(
        default="", description="Namespace of the service that forwards requests to the conversion webhook."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the service that forwards requests to the conversion webhook."
    )
    path: str | None = Field(default=None, description="URL path of requests to the conversion webhook; / if unset.")
    port: Int32 | None = Field(
        default=None, description="Port of the service at which the webhook is called; 443 by default."
    )


class WebhookClientConfig(ApiModel):
    """Address of a conversion webhook (a URL or a service) and the CA bundle that verifies its certificate."""

    url: str | None = Field(default=None, description="URL of the webhook; must begin with https://.")
    service: ServiceReference | None = Field(
        default=None, description="Service through which the API server calls the webhook, instead of url."
    )
    caBundle: Bytes = Field(
        default="",
        description="PEM certificates of the CAs trusted to sign the webhook's certificate; the system's CAs if empty.",
    )


class WebhookConversion(ApiModel):
    """A webhook that converts custom resources between API versions."""

    clientConfig: WebhookClientConfig | None = Field(
        default=None, description="URL or service of the conversion webhook, and the CAs that verify its certificate."
    )
    conversionReviewVersions: Annotated[list[str], Required()] = Field(
        default_factory=list,
        description="Versions of ConversionReview that the webhook accepts, in order of preference.",
    )


class CustomResourceConversion(ApiModel):
    """Conversion of custom resources between API versions: a webhook, or only a change of apiVersion."""

    strategy: Annotated[str, Named("v1.ConversionStrategyType"), Required()] = Field(
        default="", description="Conversion strategy: None, which changes apiVersion only, or Webhook."
    )
    webhook: WebhookConversion | None = Field(
        default=None, description="Webhook that converts the objects; only for strategy Webhook."
    )


class CustomResourceDefinitionNames(ApiModel):
    """Names of a custom resource: plural, singular, short names, kind, list kind and categories."""

    plural: Annotated[str, Required()] = Field(
        default="", description="Plural name of the resource in lower case, used in URLs."
    )
    singular: str = Field(default="", description="Singular name; the kind in lower case by default.")
    shortNames: list[str] = Field(
        default_factory=list, description="Abbreviations that kubectl accepts instead of the plural name."
    )
    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the objects, singular and in CamelCase, such as CronTab."
    )
    listKind: str = Field(
        default="", description="Kind of lists of the objects; by default, the kind followed by List."
    )
    categories: list[str] = Field(
        default_factory=list,
        description="Names by which clients can list the resource together with others, such as all.",
    )


class CustomResourceValidation(ApiModel):
    """OpenAPI schema by which custom resources are validated, pruned and defaulted."""

    openAPIV3Schema: Annotated[ReadSchema | None, PlainValidator(read_schema), DescribedBy(JSONSchemaProps)] = Field(
        default=None,
        description="OpenAPI v3 schema of the whole object, by which custom resources are validated and pruned.",
    )


class CustomResourceSubresourceStatus(ApiModel):
    """Enables the status subresource of a custom resource."""


class CustomResourceSubresourceScale(ApiModel):
    """Enables the scale subresource of a custom resource, by the paths of the replica counts and the selector."""

    specReplicasPath: Annotated[str, Required()] = Field(
        default="", description="JSON path of the desired number of replicas, such as .spec.replicas."
    )
    statusReplicasPath: Annotated[str, Required()] = Field(
        default="", description="JSON path of the observed number of replicas, such as .status.replicas."
    )
    labelSelectorPath: str | None = Field(
        default=None,
        description="JSON path, in spec or status, of the pods' label selector in string form, for autoscalers.",
    )


class CustomResourceSubresources(ApiModel):
    """Subresources (status, scale) of a custom resource."""

    status: CustomResourceSubresourceStatus | None = Field(
        default=None, description="If set, the resource has a status subresource, and other writes ignore the status."
    )
    scale: CustomResourceSubresourceScale | None = Field(
        default=None, description="If set, the resource has a scale subresource, for kubectl scale and autoscalers."
    )


class CustomResourceColumnDefinition(ApiModel):
    """A column of the table that ``kubectl get`` prints for a custom resource."""

    name: Annotated[str, Required()] = Field(
        default="", description="Text that kubectl prints as the header of the column."
    )
    type: Annotated[str, Required()] = Field(
        default="", description="OpenAPI type of the column's values, such as integer or date."
    )
    format: str = Field(default="", description="OpenAPI format of the column's values, such as int64.")
    description: str = Field(default="", description="Explanation of the column's values for readers.")
    priority: Int32 = Field(default=0, description="Priority of the column; shown only in wide output if over 0.")
    jsonPath: Annotated[str, Required()] = Field(
        default="", description="JSON path of the cell's value in the custom resource."
    )


class SelectableField(ApiModel):
    """A field of a custom resource that field selectors can use."""

    jsonPath: Annotated[str, Required()] = Field(
        default="", description="JSON path of the field in the custom resource, such as .spec.color."
    )


class CustomResourceDefinitionVersion(ApiModel):
    """One API version of a custom resource: schema, subresources, columns, and whether it is served or stored."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the version, such as v1beta1; part of the URLs."
    )
    served: Annotated[bool, Required()] = Field(
        default=False, description="True if clients can read and write objects in this version."
    )
    is_storage: Annotated[bool, Required()] = Field(
        default=False, alias="storage", description="True if objects are stored in this version."
    )
    deprecated: bool = Field(
        default=False, description="True if the version is deprecated: responses to requests for it carry a warning."
    )
    deprecationWarning: str | None = Field(
        default=None, description="Warning that clients of a deprecated version get; generated by default."
    )
    schema_: CustomResourceValidation | None = Field(
        default=None, alias="schema", description="OpenAPI schema of custom resources in this version."
    )
    subresources: CustomResourceSubresources | None = Field(
        default=None, description="Subresources (status, scale) of custom resources in this version."
    )
    additionalPrinterColumns: list[CustomResourceColumnDefinition] = Field(
        default_factory=list, description="Columns that kubectl get prints after the name; the age by default."
    )
    selectableFields: list[SelectableField] = Field(
        default_factory=list, description="Fields that field selectors can use, besides name and namespace."
    )


class CustomResourceDefinitionSpec(ApiModel):
    """API group, names, scope and versions of a custom resource."""

    group: Annotated[str, Required()] = Field(default="", description="API group of the resource, such as example.com.")
    names: Annotated[CustomResourceDefinitionNames, Required()] = Field(
        default_factory=CustomResourceDefinitionNames,
        description="Plural, singular and short names, kind, list kind and categories.",
    )
    scope: Annotated[str, Named("v1.ResourceScope"), Required()] = Field(
        default="", description="Scope of the resource: Cluster or Namespaced."
    )
    versions: Annotated[list[CustomResourceDefinitionVersion], Required()] = Field(
        default_factory=list, description="API versions of the resource, of which exactly one is the storage version."
    )
    conversion: CustomResourceConversion | None = Field(
        default=None, description="Conversion of objects between versions; by default, only apiVersion changes."
    )
    preserveUnknownFields: bool = Field(
        default=False,
        description="Must be false; x-kubernetes-preserve-unknown-fields in a schema keeps unknown fields instead.",
    )


class CustomResourceDefinitionCondition(ApiModel):
    """A condition of a CustomResourceDefinition, such as Established."""

    type: Annotated[str, Named("v1.CustomResourceDefinitionConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as Established, NamesAccepted or Terminating."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the condition's status.")
    observedGeneration: Int64 = Field(
        default=0, description="metadata.generation of the definition when the condition was set."
    )


class CustomResourceDefinitionStatus(ApiModel):
    """Observed state of a CustomResourceDefinition: conditions, accepted names and stored versions."""

    conditions: Annotated[list[CustomResourceDefinitionCondition], MapList(("type",)), Always()] = Field(
        default_factory=list, description="Conditions of the definition, such as Established and NamesAccepted."
    )
    acceptedNames: Annotated[CustomResourceDefinitionNames, Always()] = Field(
        default_factory=CustomResourceDefinitionNames,
        description="Names under which the server serves the resource, without those that another resource has.",
    )
    storedVersions: Annotated[list[str], Always()] = Field(
        default_factory=list,
        description="API versions in which objects were ever stored; spec.versions must contain each of them.",
    )
    observedGeneration: Int64 = Field(
        default=0, description="metadata.generation of the definition that the status describes."
    )


class CustomResourceDefinition(ApiObject):
    """Defines a custom resource. Its name is PLURAL.GROUP."""

    spec: Annotated[CustomResourceDefinitionSpec, Required()] = Field(
        default_factory=CustomResourceDefinitionSpec,
        description="Group, names, scope and versions of the custom resource.",
    )
    status: CustomResourceDefinitionStatus = Field(
        default_factory=CustomResourceDefinitionStatus,
        description="Conditions, accepted names and stored versions, written by the server.",
    )

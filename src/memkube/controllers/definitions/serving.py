"""Converts a CustomResourceDefinition to declarations of resources that the server can serve.

Source: ``apiserver/customresource_handler.go``.
"""

from collections.abc import Callable
from typing import Any, Final

from memkube.apimachinery.json_path import JsonPath
from memkube.apimachinery.model import Document
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceDefinition,
    CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion,
)
from memkube.controllers.definitions.columns import printer_of, written
from memkube.controllers.definitions.conversion_webhook import ConversionWebhook
from memkube.controllers.definitions.scale import replicas_paths, scale_subresource, spec_faults, status_faults
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.catalog import version_priority
from memkube.registry.declarations.custom import CustomNames, CustomVersion, custom_resources
from memkube.registry.declarations.resource import Resource

_ANYTHING: Final[Document] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def resources_of(
    definition: CustomResourceDefinition, may_be_created: Callable[[], bool], runtime: Runtime
) -> list[Resource]:
    """Return a resource for each version of a CustomResourceDefinition, including versions that are not served.

    `may_be_created` is called, without arguments, before an object of the kind is created. It returns False if the
    definition is terminating; the server then refuses the object. `runtime` has the HTTP client that calls a conversion
    webhook.

    Raises ValueError if a schema has a feature that is not supported.
    """
    spec, accepted = definition.spec, definition.status.acceptedNames
    names = CustomNames(
        group=spec.group,
        kind=accepted.kind,
        plural=accepted.plural,
        singular=accepted.singular,
        namespaced=spec.scope == "Namespaced",
        short_names=tuple(accepted.shortNames),
        categories=tuple(accepted.categories),
        list_kind=accepted.listKind,
        may_be_created=may_be_created,
    )
    versions = [_version(spec, version) for version in spec.versions]
    stored = next(version.name for version in spec.versions if version.is_storage)
    conversion = spec.conversion
    if conversion is None or conversion.strategy != "Webhook" or conversion.webhook is None:
        return custom_resources(names, versions, stored)
    webhook = ConversionWebhook(runtime.registry, runtime.parts.hook_client, conversion.webhook)
    return custom_resources(names, versions, stored, webhook.into)


def _version(spec: CustomResourceDefinitionSpec, version: CustomResourceDefinitionVersion) -> CustomVersion:
    schema = version.schema_.openAPIV3Schema if version.schema_ else None
    subresources = version.subresources
    scale = subresources.scale if subresources else None
    return CustomVersion(
        name=version.name,
        is_served=version.served,
        schema=_ANYTHING if schema is None else schema.to_document(),
        has_status=subresources is not None and subresources.status is not None,
        printer=printer_of(version.additionalPrinterColumns),
        deprecation=_deprecation(spec, version),
        subresources=()
        if scale is None
        else (scale_subresource(f"{spec.group}/{version.name}", scale, replicas_paths(spec)),),
        check_spec=(lambda document: []) if scale is None else (lambda document: spec_faults(document, scale)),
        check_status=(lambda document: []) if scale is None else (lambda document: status_faults(document, scale)),
        selectable={field.jsonPath.removeprefix("."): _reader(field.jsonPath) for field in version.selectableFields},
    )


def _reader(path: str) -> Callable[[Document], str]:
    parsed = JsonPath(path)

    def read(document: Document) -> str:
        found: list[Any] = parsed.find(document)
        return written(found[0]) if found and found[0] is not None else ""

    return read


def _deprecation(spec: CustomResourceDefinitionSpec, version: CustomResourceDefinitionVersion) -> str:
    if not version.deprecated:
        return ""
    if version.deprecationWarning is not None:
        return version.deprecationWarning
    text = f"{spec.group}/{version.name} {spec.names.kind} is deprecated"
    own = version_priority(version.name)
    newer = [v.name for v in spec.versions if v.served and not v.deprecated and version_priority(v.name) < own]
    return f"{text}; use {spec.group}/{min(newer, key=version_priority)} {spec.names.kind}" if newer else text

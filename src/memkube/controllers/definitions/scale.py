"""Subresource ``scale`` of custom kinds, with the field paths that the CustomResourceDefinition names."""

from collections.abc import Sequence
from typing import Any, Final

from memkube.apimachinery.errors import bad_request, internal_error, unclassified
from memkube.apimachinery.field_errors import FieldError, invalid
from memkube.apimachinery.managed_fields import ReplicasPaths, entries_after_scaling, scale_entries
from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import go_text, go_type
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceColumnDefinition,
    CustomResourceDefinitionSpec,
    CustomResourceSubresourceScale,
)
from memkube.apis.autoscaling.v1.scales.subresource import RESOURCE
from memkube.controllers.definitions.columns import printer_of
from memkube.registry.declarations.interface import View
from memkube.registry.declarations.resource import Refusals, Resource, ViewSubresource
from memkube.registry.declarations.strategy import Strategy

_KEPT: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_DECLARED: Final = ("group", "version", "kind", "plural", "singular", "model", "verbs")
_HANDLER: Final = "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781"
_UNCONVERTIBLE: Final = (
    "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to "
    "proper version: request to convert CR to an invalid group/version: autoscaling/v1"
)
_COLUMNS: Final = (
    CustomResourceColumnDefinition(
        name="Desired", type="integer", description="Number of desired replicas", jsonPath=".spec.replicas"
    ),
    CustomResourceColumnDefinition(
        name="Available", type="integer", description="Number of actual replicas", jsonPath=".status.replicas"
    ),
    CustomResourceColumnDefinition(
        name="Age",
        type="date",
        description="Time since the object was created.",
        jsonPath=".metadata.creationTimestamp",
    ),
)
_UNSET: Final = -(2**31)
_MOST: Final = 2**31 - 1


def replicas_paths(spec: CustomResourceDefinitionSpec) -> ReplicasPaths:
    """Return the path of the desired replicas in each version of a custom kind, by apiVersion.

    The path is None for a version without the subresource ``scale``.
    """
    return {
        f"{spec.group}/{version.name}": tuple(_field_names(version.subresources.scale.specReplicasPath))
        if version.subresources and version.subresources.scale
        else None
        for version in spec.versions
    }


def scale_subresource(api_version: str, scale: CustomResourceSubresourceScale, paths: ReplicasPaths) -> ViewSubresource:
    """Return the subresource ``scale`` of a custom kind in one version. `paths` is the result of `replicas_paths`."""
    # A Scale is not validated on its own: after its replicas are written into the custom object, the object's schema
    # validates them.
    unchecked = Resource(
        **{name: RESOURCE.__dict__[name] for name in _DECLARED},
        strategy=Strategy(),
        printer=printer_of(_COLUMNS),
        refusals=Refusals(f'no kind is registered for the type v1.Scale in scheme "{_HANDLER}"', _UNCONVERTIBLE),
    )
    return ViewSubresource("scale", shown=unchecked, view=CustomScaleView(api_version, scale, paths))


def spec_faults(document: Document, scale: CustomResourceSubresourceScale) -> list[FieldError]:
    """Return the validation errors of the desired replicas in a custom object, at the path that `scale` names."""
    return _replicas_faults(document, scale.specReplicasPath)


def status_faults(document: Document, scale: CustomResourceSubresourceScale) -> list[FieldError]:
    """Return the validation errors of the actual replicas and the label selector in a custom object.

    `scale` has the paths of both fields.
    """
    faults = _replicas_faults(document, scale.statusReplicasPath)
    if scale.labelSelectorPath:
        try:
            _nested(document, scale.labelSelectorPath, str)
        except ValueError as error:
            faults.append(invalid(scale.labelSelectorPath, "", str(error)))
    return faults


class CustomScaleView(View):
    """Converts custom objects to Scales and back, with the field paths in the CustomResourceDefinition."""

    def __init__(self, api_version: str, scale: CustomResourceSubresourceScale, paths: ReplicasPaths) -> None:
        self._api_version = api_version
        self._scale = scale
        self._path = tuple(_field_names(scale.specReplicasPath))
        self._paths = paths

    def show(self, document: Document) -> Document:
        """Return the Scale of a custom object. Raises ApiError (500) if the object has no desired replicas."""
        if self._read(document, self._scale.specReplicasPath, int) is None:
            raise internal_error(f'the spec replicas field "{self._scale.specReplicasPath}" does not exist')
        return self._show(document, 0)

    def show_for_change(self, document: Document) -> Document:
        """Return the Scale of a custom object, to be changed by an update or patch.

        If the object has no desired replicas, the number in the Scale is invalid. The write is therefore refused unless
        the client sets the replicas.
        """
        return self._show(document, _UNSET)

    def show_to_admission(self, document: Document) -> Document:
        """Return the Scale of a custom object for admission plugins. Missing replicas become 0."""
        return self._show(document, 0)

    def _show(self, document: Document, missing: int) -> Document:
        found = self._read(document, self._scale.specReplicasPath, int)
        wanted = missing if found is None else found
        status: Document = {"replicas": self._read(document, self._scale.statusReplicasPath, int) or 0}
        if self._scale.labelSelectorPath:
            selector = self._read(document, self._scale.labelSelectorPath, str)
            status |= {"selector": selector} if selector else {}
        metadata = document["metadata"]
        return {
            "kind": RESOURCE.kind,
            "apiVersion": RESOURCE.api_version,
            "metadata": {name: metadata[name] for name in _KEPT if name in metadata},
            "spec": {"replicas": wanted} if wanted else {},
            "status": status,
        }

    def owners(self, document: Document) -> list[Document]:
        return scale_entries(document, self._paths)

    def put_back(self, shown: Any, current: Document) -> Document:
        if shown.spec.replicas == _UNSET:
            raise bad_request(f'the spec replicas field "{self._scale.specReplicasPath}" cannot be empty')
        entries = entries_after_scaling(current, shown.to_document(), self._api_version, self._paths)
        metadata = {name: value for name, value in current["metadata"].items() if name != "managedFields"}
        changed = {**current, "metadata": {**metadata, "managedFields": entries} if entries else metadata}
        return _with_value(changed, self._path, shown.spec.replicas)

    def _read(self, document: Document, path: str, kind: type) -> Any:
        try:
            return _nested(document, path, kind)
        except ValueError as error:
            raise unclassified(str(error)) from None


def _field_names(path: str) -> Sequence[str]:
    return path.removeprefix(".").split(".")


def _replicas_faults(document: Document, path: str) -> list[FieldError]:
    try:
        value = _nested(document, path, int) or 0
    except ValueError as error:
        return [invalid(path, 0, str(error))]
    if value < 0:
        return [invalid(path, value, "should be a non-negative integer")]
    return [invalid(path, value, f"should be less than or equal to {_MOST}")] if value > _MOST else []


def _nested(document: Document, path: str, kind: type) -> Any:
    """Return the value at a field path; None if a field of the path is absent.

    Raises ValueError, with the message of Go's ``unstructured``, if a field on the way is not a map, or if the value is
    not of the type `kind`.
    """
    value: Any = document
    names = _field_names(path)
    for index, name in enumerate(names):
        if value is None:
            return None
        if not isinstance(value, dict):
            raise _wrong(names[: index + 1], value, "map[string]interface{}")
        if name not in value:
            return None
        value = value[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _wrong(names, value, "int64" if kind is int else "string")
    return value


def _wrong(names: Sequence[str], value: Any, wanted: str) -> ValueError:
    what = f"{go_text(value)} is of the type {go_type(value)}"
    return ValueError(f".{'.'.join(names)} accessor error: {what}, expected {wanted}")


def _with_value(document: Document, path: Sequence[str], value: Any, above: str = "") -> Document:
    """Return the document with a value at the path; `above` is the path of the document itself, for the error message.

    Raises ApiError 500 if a field on the way is not a map.
    """
    name, *rest = path
    if not rest:
        return {**document, name: value}
    inner, where = document.get(name, {}), f"{above}.{name}"
    if not isinstance(inner, dict):
        raise unclassified(f"value cannot be set because {where} is not a map[string]interface{{}}")
    return {**document, name: _with_value(inner, rest, value, where)}

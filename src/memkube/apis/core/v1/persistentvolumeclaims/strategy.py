from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.persistentvolumeclaims.validation import (
    validate_persistent_volume_claim,
    validate_persistent_volume_claim_status_update,
    validate_persistent_volume_claim_update,
)
from memkube.apis.core.v1.podspec.defaults import default_persistent_volume_claim
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import (
    STORAGE_CLASS_ANNOTATION,
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
)
from memkube.apis.core.v1.podspec.types.volumes import PersistentVolumeClaimSpec
from memkube.apis.core.v1.podspec.warnings.containers import fraction_warnings
from memkube.apis.core.v1.references import TypedLocalObjectReference, TypedObjectReference
from memkube.registry.declarations.strategy import FieldPaths, Strategy

_RESOURCES: Final = FieldPath("spec.resources")
_ANNOTATION: Final = FieldPath("metadata.annotations").key(STORAGE_CLASS_ANNOTATION)
_COPIED_FROM: Final = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


class PersistentVolumeClaimStrategy(Strategy[PersistentVolumeClaim]):
    """Defaults and validates PersistentVolumeClaims that clients create and update; they cannot set the status.

    Source: ``pkg/registry/core/persistentvolumeclaim/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True
    settles_later: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    default = staticmethod(default_persistent_volume_claim)
    validate = staticmethod(validate_persistent_volume_claim)
    validate_update = staticmethod(validate_persistent_volume_claim_update)

    def prepare_for_create(self, obj: PersistentVolumeClaim, now: Time) -> list[str]:
        obj.status = PersistentVolumeClaimStatus(phase="Pending")
        _prepare_data_sources(obj.spec, None)
        return []

    def warnings_on_create(self, obj: PersistentVolumeClaim) -> list[str]:
        return _warnings(obj)

    def prepare_for_update(self, new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> None:
        """Discard an update's changes to ``status``, and make `dataSource` and `dataSourceRef` consistent."""
        new.status = old.status
        _prepare_data_sources(new.spec, old.spec)

    def warnings_on_update(self, new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[str]:
        return _warnings(new)


class PersistentVolumeClaimStatusStrategy(PersistentVolumeClaimStrategy):
    """Strategy for writing the ``status`` subresource of PersistentVolumeClaims, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    validate_update = staticmethod(validate_persistent_volume_claim_status_update)

    def prepare_for_update(self, new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> None:
        """Discard an update's changes to ``spec``: the ``status`` subresource writes only the status."""
        new.spec = old.spec

    def warnings_on_update(self, new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[str]:
        return []


def _prepare_data_sources(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec | None) -> None:
    """Make `dataSource` and `dataSourceRef` of a claim consistent.

    `dataSource` can name only claims and snapshots of the claim's namespace. A `dataSourceRef` to another namespace is
    removed, because the feature CrossNamespaceVolumeDataSource is disabled by default.
    """
    reference = spec.dataSourceRef
    if reference is not None and reference.namespace and (old is None or old.dataSourceRef is None):
        spec.dataSourceRef = reference = None
    in_use = old is not None and (old.dataSource is not None or old.dataSourceRef is not None)
    source = spec.dataSource
    if source is not None and reference is None:
        if in_use or (source.apiGroup or "", source.kind) in _COPIED_FROM:
            spec.dataSourceRef = TypedObjectReference(apiGroup=source.apiGroup, kind=source.kind, name=source.name)
        else:
            spec.dataSource = None
    elif reference is not None and source is None and not reference.namespace:
        spec.dataSource = TypedLocalObjectReference(
            apiGroup=reference.apiGroup, kind=reference.kind, name=reference.name
        )


def _warnings(claim: PersistentVolumeClaim) -> list[str]:
    """Return warnings about a PersistentVolumeClaim for the response's Warning headers.

    Source: ``pkg/api/persistentvolumeclaim/util.go``.
    """
    warnings: list[str] = []
    if STORAGE_CLASS_ANNOTATION in claim.metadata.annotations:
        warnings.append(f'{_ANNOTATION}: deprecated since v1.8; use "storageClassName" attribute instead')
    resources = claim.spec.resources
    warnings += fraction_warnings(resources.requests, ("storage",), _RESOURCES.child("requests"))
    return [*warnings, *fraction_warnings(resources.limits, ("storage",), _RESOURCES.child("limits"))]

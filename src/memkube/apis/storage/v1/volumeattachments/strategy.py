"""Defaults and validation (``pkg/apis/storage/validation``) of VolumeAttachments."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required, too_long
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE
from memkube.apimachinery.names import range_error, subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import reset_metadata_for_status, validate_metadata
from memkube.apis.core.v1.persistentvolumes.strategy import default_volume_spec
from memkube.apis.core.v1.persistentvolumes.validation import validate_inline_volume
from memkube.apis.core.v1.podspec.validation.volume_sources import validate_driver_name
from memkube.apis.storage.v1.volumeattachments.types import (
    VolumeAttachment,
    VolumeAttachmentSource,
    VolumeAttachmentStatus,
    VolumeError,
)
from memkube.registry.declarations.strategy import FieldPaths, Strategy

_SPEC: Final = FieldPath("spec")
_SOURCE: Final = _SPEC.child("source")
_STATUS: Final = FieldPath("status")
_ONE_SOURCE: Final = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
_DETAILS_SIZE: Final = 256 * 1024
_MESSAGE_SIZE: Final = 1024
_LARGEST_CODE: Final = 2**31 - 1


def validate_volume_attachment(attachment: VolumeAttachment) -> list[FieldError]:
    """Validate a new VolumeAttachment: attacher, source and node."""
    spec = attachment.spec
    errors = validate_metadata(attachment.metadata, subdomain_name, namespaced=False)
    errors += validate_driver_name(spec.attacher, _SPEC.child("attacher"))
    errors += _validate_source(spec.source)
    errors += [invalid(_SPEC.child("nodeName"), spec.nodeName, error) for error in subdomain_name(spec.nodeName)]
    errors += _validate_status(attachment.status)
    name = spec.source.persistentVolumeName
    if name is not None:
        path = _SOURCE.child("persistentVolumeName")
        errors += [invalid(path, name, error) for error in subdomain_name(name)]
    return errors


def validate_volume_attachment_update(new: VolumeAttachment, old: VolumeAttachment) -> list[FieldError]:
    """Validate an update of a VolumeAttachment by the rules for new VolumeAttachments; the spec is immutable."""
    errors = validate_volume_attachment(new)
    if new.spec != old.spec:
        errors.append(invalid(_SPEC, InternalValue(new.spec), FIELD_IMMUTABLE))
    return errors


def _validate_source(source: VolumeAttachmentSource) -> list[FieldError]:
    name, inline = source.persistentVolumeName, source.inlineVolumeSpec
    if name is None and inline is None:
        return [required(_SOURCE, _ONE_SOURCE)]
    if name is not None and inline is not None:
        return [forbidden(_SOURCE, _ONE_SOURCE)]
    if inline is not None:
        return validate_inline_volume(inline, _SOURCE.child("inlineVolumeSpec"))
    detail = "must specify non empty persistentVolumeName"
    return [] if name else [required(_SOURCE.child("persistentVolumeName"), detail)]


def _validate_status(status: VolumeAttachmentStatus) -> list[FieldError]:
    errors: list[FieldError] = []
    details = status.attachmentMetadata
    if sum(len(key.encode()) + len(value.encode()) for key, value in details.items()) > _DETAILS_SIZE:
        errors.append(too_long(_STATUS.child("attachmentMetadata"), _DETAILS_SIZE))
    for name in ("attachError", "detachError"):
        error: VolumeError | None = getattr(status, name)
        if error is not None:
            errors += _validate_error(error, _STATUS.child(name))
    return errors


def _validate_error(error: VolumeError, path: FieldPath) -> list[FieldError]:
    """Validate an error in the status of a VolumeAttachment.

    As in kube-apiserver, the message about a too long error names a wrong limit.
    """
    errors = [too_long(path.child("message"), _DETAILS_SIZE)] if len(error.message.encode()) > _MESSAGE_SIZE else []
    code = error.errorCode
    if code is not None and code < 0:
        errors.append(invalid(path.child("errorCode"), code, range_error(0, _LARGEST_CODE)))
    return errors


class VolumeAttachmentStrategy(Strategy[VolumeAttachment]):
    """Rules for writes of VolumeAttachments: defaults, validation, and a status that these writes do not change.

    Source: ``pkg/registry/storage/volumeattachment/strategy.go``.
    """

    allow_unconditional_update: ClassVar[bool] = False
    returns_deleted: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    validate = staticmethod(validate_volume_attachment)
    validate_update = staticmethod(validate_volume_attachment_update)

    def default(self, obj: VolumeAttachment) -> None:
        if obj.spec.source.inlineVolumeSpec is not None:
            default_volume_spec(obj.spec.source.inlineVolumeSpec)

    def prepare_for_create(self, obj: VolumeAttachment, now: Time) -> list[str]:
        """Clear the status of a new VolumeAttachment."""
        obj.status = VolumeAttachmentStatus()
        return []

    def prepare_for_update(self, new: VolumeAttachment, old: VolumeAttachment) -> None:
        """Discard an update's changes to ``status``, which only the ``status`` subresource may write."""
        new.status = old.status


class VolumeAttachmentStatusStrategy(VolumeAttachmentStrategy):
    """Strategy for writing the ``status`` subresource of VolumeAttachments, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("metadata",), ("spec",))

    def prepare_for_update(self, new: VolumeAttachment, old: VolumeAttachment) -> None:
        """Discard a status update's changes to spec and metadata."""
        new.spec = old.spec
        reset_metadata_for_status(new.metadata, old.metadata)

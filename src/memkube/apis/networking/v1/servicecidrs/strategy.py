"""Rules for writing ServiceCIDRs: CIDRs are canonical and immutable (``pkg/apis/networking/validation``)."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.ip_addresses import parse_cidr, validate_canonical_cidr
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue, given
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import reset_metadata_for_status, validate_metadata, validate_metadata_update
from memkube.apis.core.v1.standing import report_deletion
from memkube.apis.networking.v1.servicecidrs.types import ServiceCIDR, ServiceCIDRSpec, ServiceCIDRStatus
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, Strategy
from memkube.registry.objects.stored import StoredObject

_CIDRS: Final = FieldPath("spec").child("cidrs")
_MOST_BLOCKS: Final = 2
_ONE_OF_EACH = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"


def validate_service_cidr(service_cidr: ServiceCIDR) -> list[FieldError]:
    """Validate a ServiceCIDR: one or two CIDRs in canonical form, at most one of each IP family."""
    return validate_metadata(service_cidr.metadata, subdomain_name, namespaced=False) + _validate_spec(
        service_cidr.spec
    )


def validate_service_cidr_update(new: ServiceCIDR, old: ServiceCIDR) -> list[FieldError]:
    """Validate an update of a ServiceCIDR: CIDRs are immutable, but a second one may be added."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    blocks, before = new.spec.cidrs, old.spec.cidrs
    becomes_dual = len(before) == 1 and len(blocks) == _MOST_BLOCKS
    if not (becomes_dual or len(blocks) == len(before)):
        return [*errors, invalid(_CIDRS, given(new.spec, "cidrs"), FIELD_IMMUTABLE)]
    for index, (block, kept) in enumerate(zip(blocks, before, strict=False)):
        if block != kept:
            errors.append(invalid(_CIDRS.item(index), block, FIELD_IMMUTABLE))
    return errors + (_validate_spec(new.spec) if becomes_dual else [])


def _validate_spec(spec: ServiceCIDRSpec) -> list[FieldError]:
    if not spec.cidrs:
        return [required(_CIDRS, "at least one CIDR required")]
    if len(spec.cidrs) > _MOST_BLOCKS:
        return [invalid(_CIDRS, InternalValue(spec), "may only hold up to 2 values")]
    errors: list[FieldError] = []
    for index, text in enumerate(spec.cidrs):
        errors += validate_canonical_cidr(_CIDRS.item(index), text)
    blocks = [block for block in map(parse_cidr, spec.cidrs) if block is not None]
    if len(blocks) == _MOST_BLOCKS and blocks[0].is_ipv4 == blocks[1].is_ipv4:
        errors.append(invalid(_CIDRS, spec.cidrs, _ONE_OF_EACH))
    return errors


class ServiceCIDRStrategy(Strategy[ServiceCIDR]):
    """Validation of ServiceCIDRs: canonical CIDRs, which cannot be changed, except that a second one may be added.

    Source: ``pkg/registry/networking/servicecidr/strategy.go``.
    """

    reset_fields: ClassVar[FieldPaths] = (("status",),)

    validate = staticmethod(validate_service_cidr)
    validate_update = staticmethod(validate_service_cidr_update)

    def prepare_for_create(self, obj: ServiceCIDR, now: Time) -> list[str]:
        obj.status = ServiceCIDRStatus()
        return []

    def prepare_for_update(self, new: ServiceCIDR, old: ServiceCIDR) -> None:
        """Discard an update's changes to ``status``, which only the ``status`` subresource may write."""
        new.status = old.status

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """If the ServiceCIDR ``kubernetes`` was deleted, make the server recreate it."""
        report_deletion(stores, last)


class ServiceCIDRStatusStrategy(ServiceCIDRStrategy):
    """Strategy for writing the ``status`` subresource of ServiceCIDRs, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("metadata",), ("spec",))

    def prepare_for_update(self, new: ServiceCIDR, old: ServiceCIDR) -> None:
        """Discard all changes of a status update except those to status and managed fields."""
        new.spec = old.spec
        reset_metadata_for_status(new.metadata, old.metadata)

    def validate_update(self, new: ServiceCIDR, old: ServiceCIDR) -> list[FieldError]:
        return validate_metadata_update(new.metadata, old.metadata)

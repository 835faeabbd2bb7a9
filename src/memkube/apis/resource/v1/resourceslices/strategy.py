from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.resource.v1.resourceslices.types import ResourceSlice
from memkube.apis.resource.v1.resourceslices.validation import validate_spec
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy
from memkube.time.clock import written_now

_LISTS: Final = ("ints", "bools", "strings", "versions")


class ResourceSliceStrategy(Strategy[ResourceSlice]):
    """Rules for writing ResourceSlices: times of taints, generation, dropped fields, validation and warnings.

    Source: ``pkg/registry/resource/resourceslice/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True

    async def begin_create(self, stores: Stores, obj: ResourceSlice, context: WriteContext) -> Finish | None:
        """Set timeAdded to the current time in taints of a new ResourceSlice that have no timeAdded."""
        _set_taint_times(obj, stores)
        return None

    async def begin_update(
        self, stores: Stores, new: ResourceSlice, old: ResourceSlice, context: WriteContext
    ) -> Finish | None:
        """Set timeAdded to the current time in taints of an updated ResourceSlice that have no timeAdded."""
        _set_taint_times(new, stores)
        return None

    def prepare_for_create(self, obj: ResourceSlice, now: Time) -> list[str]:
        obj.metadata.generation = 1
        _drop_disabled(obj)
        return []

    def validate(self, obj: ResourceSlice) -> list[FieldError]:
        return validate_metadata(obj.metadata, subdomain_name, namespaced=False) + validate_spec(obj.spec, None)

    def warnings_on_create(self, obj: ResourceSlice) -> list[str]:
        return _warnings(obj)

    def prepare_for_update(self, new: ResourceSlice, old: ResourceSlice) -> None:
        """Increment the generation of a ResourceSlice if its spec changed.

        The generation is also incremented if only fields of disabled features changed, which are cleared afterwards.
        """
        if new.spec != old.spec:
            new.metadata.generation = old.metadata.generation + 1
        _drop_disabled(new)

    def validate_update(self, new: ResourceSlice, old: ResourceSlice) -> list[FieldError]:
        return validate_metadata_update(new.metadata, old.metadata) + validate_spec(new.spec, old.spec)

    def warnings_on_update(self, new: ResourceSlice, old: ResourceSlice) -> list[str]:
        return _warnings(new)


def _set_taint_times(obj: ResourceSlice, stores: Stores) -> None:
    """Set timeAdded to the current time in taints of devices that have no timeAdded.

    kube-apiserver does this when it sets defaults, but memkube's defaults have no access to the clock.
    """
    for device in obj.spec.devices:
        for taint in device.taints:
            if taint.timeAdded is None:
                taint.timeAdded = written_now(stores.clock)


def _drop_disabled(obj: ResourceSlice) -> None:
    """Clear the fields of the disabled features DRAListTypeAttributes and DRANodeAllocatableResources.

    kube-apiserver keeps them in an update if the stored ResourceSlice has them. In memkube, no stored ResourceSlice
    does.
    """
    for device in obj.spec.devices:
        device.nodeAllocatableResourceMappings = {}
        for attribute in device.attributes.values():
            attribute.ints, attribute.bools, attribute.strings, attribute.versions = [], [], [], []
            # Error messages print an unset list as nil, as kube-apiserver does, and an empty list as [].
            attribute.model_fields_set.difference_update(_LISTS)


def _warnings(obj: ResourceSlice) -> list[str]:
    driver = obj.spec.driver
    if driver == driver.lower():
        return []
    return [f"spec.driver: driver names should be lowercase; {quoted(driver)} contains uppercase characters"]

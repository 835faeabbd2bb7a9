"""Defaults, validation (``pkg/apis/storage/validation``) and warnings of CSIDrivers."""

from collections.abc import Sequence
from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, not_supported, required
from memkube.apimachinery.meta.validation.object_meta import validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.storage.v1.csidrivers.types import CSIDriver, CSIDriverSpec, TokenRequest
from memkube.registry.declarations.strategy import Strategy

_SPEC: Final = FieldPath("spec")
_ATTACH_REQUIRED: Final = _SPEC.child(
    "attachedRequired"
)  # As in kube-apiserver, the field name is misspelled in errors.
_GROUP_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLES: Final = ("Persistent", "Ephemeral")
_SHORTEST_PERIOD: Final = 10
_SHORTEST_TOKEN: Final = 600
_LONGEST_TOKEN: Final = 2**32
_TOKENS_AS_SETTINGS: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes"
)


def validate_csi_driver(driver: CSIDriver) -> list[FieldError]:
    """Validate a new CSIDriver. The fields attachRequired, podInfoOnMount and storageCapacity must be set."""
    errors = validate_metadata(driver.metadata, subdomain_name, namespaced=False)
    return errors + _validate_spec(driver.spec)


def validate_csi_driver_update(new: CSIDriver, old: CSIDriver) -> list[FieldError]:
    """Validate an update of a CSIDriver: attachRequired and volumeLifecycleModes are immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += _validate_spec(new.spec)
    errors += validate_immutable(new.spec.attachRequired, old.spec.attachRequired, _ATTACH_REQUIRED)
    path = _SPEC.child("volumeLifecycleModes")
    return errors + validate_immutable(new.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, path)


def _validate_spec(spec: CSIDriverSpec) -> list[FieldError]:
    errors = [] if spec.attachRequired is not None else [required(_ATTACH_REQUIRED)]
    errors += [required(_SPEC.child(n)) for n in ("podInfoOnMount", "storageCapacity") if getattr(spec, n) is None]
    policy = spec.fsGroupPolicy
    if policy is not None and policy not in _GROUP_POLICIES:
        errors.append(not_supported(_SPEC.child("fsGroupPolicy"), policy, _GROUP_POLICIES))
    errors += _validate_tokens(spec.tokenRequests, _SPEC.child("tokenRequests"))
    unknown = (mode for mode in spec.volumeLifecycleModes if mode not in _LIFECYCLES)
    errors += [not_supported(_SPEC.child("volumeLifecycleModes"), mode, _LIFECYCLES) for mode in unknown]
    if spec.seLinuxMount is None:
        errors.append(required(_SPEC.child("seLinuxMount")))
    period = spec.nodeAllocatableUpdatePeriodSeconds
    if period is not None and period < _SHORTEST_PERIOD:
        detail = f"must be greater than or equal to {_SHORTEST_PERIOD} seconds"
        errors.append(invalid(_SPEC.child("nodeAllocatableUpdatePeriodSeconds"), period, detail))
    as_secrets = spec.serviceAccountTokenInSecrets
    if as_secrets is not None and not spec.tokenRequests:
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        errors.append(invalid(_SPEC.child("serviceAccountTokenInSecrets"), as_secrets, detail))
    return errors


def _validate_tokens(requests: Sequence[TokenRequest], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    audiences: set[str] = set()
    for index, request in enumerate(requests):
        item = path.item(index)
        if request.audience in audiences:
            errors.append(duplicate(item.child("audience"), request.audience))
            continue
        audiences.add(request.audience)
        seconds, seconds_path = request.expirationSeconds, item.child("expirationSeconds")
        if seconds is not None and seconds < _SHORTEST_TOKEN:
            errors.append(invalid(seconds_path, seconds, "may not specify a duration less than 10 minutes"))
        if seconds is not None and seconds > _LONGEST_TOKEN:
            errors.append(invalid(seconds_path, seconds, "may not specify a duration larger than 2^32 seconds"))
    return errors


class CSIDriverStrategy(Strategy[CSIDriver]):
    """Strategy for creating and updating CSIDrivers (``pkg/registry/storage/csidriver/strategy.go``).

    It clears preventPodSchedulingIfMissing unless the stored CSIDriver has it, because the feature VolumeLimitScaling
    is disabled by default.
    """

    allow_unconditional_update: ClassVar[bool] = False
    returns_deleted: ClassVar[bool] = True

    validate = staticmethod(validate_csi_driver)
    validate_update = staticmethod(validate_csi_driver_update)

    def default(self, obj: CSIDriver) -> None:
        spec = obj.spec
        spec.attachRequired = True if spec.attachRequired is None else spec.attachRequired
        spec.podInfoOnMount = bool(spec.podInfoOnMount)
        spec.storageCapacity = bool(spec.storageCapacity)
        spec.fsGroupPolicy = "ReadWriteOnceWithFSType" if spec.fsGroupPolicy is None else spec.fsGroupPolicy
        spec.volumeLifecycleModes = spec.volumeLifecycleModes or ["Persistent"]
        spec.requiresRepublish = bool(spec.requiresRepublish)
        spec.seLinuxMount = bool(spec.seLinuxMount)

    def prepare_for_create(self, obj: CSIDriver, now: Time) -> list[str]:
        obj.spec.preventPodSchedulingIfMissing = None
        return []

    def warnings_on_create(self, obj: CSIDriver) -> list[str]:
        return _warnings(obj.spec)

    def prepare_for_update(self, new: CSIDriver, old: CSIDriver) -> None:
        """Increment the generation of a CSIDriver if its spec changed. A new CSIDriver has no generation."""
        if old.spec.preventPodSchedulingIfMissing is None:
            new.spec.preventPodSchedulingIfMissing = None
        if new.spec != old.spec:
            new.metadata.generation = old.metadata.generation + 1

    def warnings_on_update(self, new: CSIDriver, old: CSIDriver) -> list[str]:
        return _warnings(new.spec) if new.spec.tokenRequests != old.spec.tokenRequests else []


def _warnings(spec: CSIDriverSpec) -> list[str]:
    return [_TOKENS_AS_SETTINGS] if spec.tokenRequests and spec.serviceAccountTokenInSecrets is None else []

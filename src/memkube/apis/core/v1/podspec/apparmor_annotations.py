"""The annotations that told AppArmor profiles before there were fields (KEP-24)."""

from memkube.apis.core.v1.podspec.types.security import AppArmorProfile
from memkube.apis.core.v1.podspec.validation.profiles import LOCALHOST


def apparmor_profile_of(annotation: str) -> AppArmorProfile | None:
    """The profile that an annotation means; None where it means none."""
    if annotation == "unconfined":
        return AppArmorProfile(type="Unconfined")
    if annotation == "runtime/default":
        return AppArmorProfile(type="RuntimeDefault")
    name = annotation.removeprefix(LOCALHOST)
    if annotation.startswith(LOCALHOST) and name:
        return AppArmorProfile(type="Localhost", localhostProfile=name)
    return None

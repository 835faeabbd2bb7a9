"""Rules for pulling images."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, not_supported, required

_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")


def validate_pull_policy(policy: str, path: FieldPath) -> list[FieldError]:
    """The policy is a known one."""
    if policy in _PULL_POLICIES:
        return []
    return [not_supported(path, policy, _PULL_POLICIES) if policy else required(path)]

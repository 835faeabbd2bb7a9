"""The pod security levels that a namespace's labels select (``pod-security-admission/api``)."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid

PRIVILEGED: Final = "privileged"
BASELINE: Final = "baseline"
RESTRICTED: Final = "restricted"
_LEVELS: Final = (PRIVILEGED, BASELINE, RESTRICTED)
Version: TypeAlias = int | None
"""Version of the Pod Security Standards: the minor version, such as 30 for v1.30; None for the latest."""

_PREFIX: Final = "pod-security.kubernetes.io/"
_MODES: Final = ("enforce", "audit", "warn")
_PATH: Final = FieldPath("metadata.labels")
_VERSION: Final = re.compile(r"v1\.(0|[1-9][0-9]*)")
_LARGEST: Final = 2**63 - 1


class LevelVersion(NamedTuple):
    """A pod security level and the version of Kubernetes that defines its checks."""

    level: str = PRIVILEGED
    version: Version = None

    def __str__(self) -> str:
        """Format the level and version as ``restricted:v1.30`` or ``restricted:latest``."""
        return f"{self.level}:{'latest' if self.version is None else f'v1.{self.version}'}"


class Policy(NamedTuple):
    """The pod security levels of a namespace, one for each mode."""

    enforce: LevelVersion = LevelVersion()
    """Pods that violate this level are refused."""
    audit: LevelVersion = LevelVersion()
    """Pods that violate this level get an audit annotation."""
    warn: LevelVersion = LevelVersion()
    """Pods that violate this level cause a warning to the client."""

    @property
    def allows_everything(self) -> bool:
        """True if the level of each mode is privileged, so that every pod is allowed without a warning."""
        enforce, audit, warn = self
        return enforce.level == audit.level == warn.level == PRIVILEGED


_NO_POLICY: Final = Policy()


def is_stricter(level: str, other: str) -> bool:
    """True if the pod security level `level` is stricter than the level `other`."""
    return _LEVELS.index(level) > _LEVELS.index(other)


def policy_of(labels: Mapping[str, str]) -> tuple[Policy, list[FieldError]]:
    """Return the pod security levels that a namespace's labels select, and the errors in these labels.

    An invalid level counts as restricted in the mode enforce, and as privileged in the other modes.
    """
    for name in labels:
        if name.startswith(_PREFIX):
            break
    else:
        return _NO_POLICY, []
    errors: list[FieldError] = []
    enforce, audit, warn = (_mode(mode, labels, errors) for mode in _MODES)
    enforce_label, warn_label = f"{_PREFIX}enforce", f"{_PREFIX}warn"
    chosen = labels.get(enforce_label) in _LEVELS and warn_label not in labels
    if chosen and is_stricter(enforce.level, warn.level):
        version = warn.version if f"{warn_label}-version" in labels else enforce.version
        warn = LevelVersion(enforce.level, version)
    return Policy(enforce, audit, warn), errors


def _mode(mode: str, labels: Mapping[str, str], errors: list[FieldError]) -> LevelVersion:
    name = f"{_PREFIX}{mode}"
    level, version = labels.get(name, PRIVILEGED), labels.get(f"{name}-version", "latest")
    if level not in _LEVELS:
        errors.append(invalid(_PATH.key(name), level, f"must be one of {', '.join(_LEVELS)}"))
        level = RESTRICTED if mode == "enforce" else PRIVILEGED
    minor = None
    if version != "latest":
        match = _VERSION.fullmatch(version)
        if match and int(match[1]) <= _LARGEST:
            minor = int(match[1])
        else:
            errors.append(invalid(_PATH.key(f"{name}-version"), version, 'must be "latest" or "v1.x"'))
    return LevelVersion(level, minor)

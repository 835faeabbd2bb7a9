"""Evaluation of a pod with the checks of a pod security level and version (``policy/registry.go``)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.admission.pod_security import baseline_checks as baseline
from memkube.admission.pod_security import restricted_checks as restricted
from memkube.admission.pod_security.findings import Check, Finding
from memkube.admission.pod_security.policy import BASELINE, PRIVILEGED, RESTRICTED, LevelVersion
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec


class _Checks(NamedTuple):
    """One pod security check with all of its implementations.

    Each implementation has the first minor version of Kubernetes to which it applies.
    """

    level: str
    name: str
    versions: tuple[tuple[int, Check], ...]
    overrides: str = ""
    """Name of the baseline check that this check replaces at the level restricted."""

    def in_version(self, minor: int) -> Check | None:
        """Return the implementation for a minor version of Kubernetes; None if that version lacks the check."""
        return next((check for since, check in reversed(self.versions) if since <= minor), None)


_ALL: Final = (
    _Checks(BASELINE, "appArmorProfile", ((0, baseline.app_armor_profile),)),
    _Checks(BASELINE, "capabilities_baseline", ((0, baseline.capabilities),)),
    _Checks(BASELINE, "hostNamespaces", ((0, baseline.host_namespaces),)),
    _Checks(BASELINE, "hostPathVolumes", ((0, baseline.host_path_volumes),)),
    _Checks(BASELINE, "hostPorts", ((0, baseline.host_ports),)),
    _Checks(BASELINE, "hostProbesAndHostLifecycle", ((34, baseline.host_probes),)),
    _Checks(BASELINE, "privileged", ((0, baseline.privileged),)),
    _Checks(
        BASELINE,
        "procMount",
        ((0, baseline.proc_mount), (35, restricted.except_in_user_namespaces(baseline.proc_mount))),
    ),
    _Checks(BASELINE, "seLinuxOptions", ((0, baseline.se_linux_options_1_0), (31, baseline.se_linux_options_1_31))),
    _Checks(BASELINE, "seccompProfile_baseline", ((0, baseline.seccomp_annotations), (19, baseline.seccomp_profile))),
    _Checks(
        BASELINE,
        "sysctls",
        (
            (0, baseline.sysctls_1_0),
            (27, baseline.sysctls_1_27),
            (29, baseline.sysctls_1_29),
            (32, baseline.sysctls_1_32),
        ),
    ),
    _Checks(BASELINE, "windowsHostProcess", ((0, baseline.windows_host_process),)),
    _Checks(
        RESTRICTED,
        "allowPrivilegeEscalation",
        ((8, restricted.privilege_escalation), (25, restricted.except_on_windows(restricted.privilege_escalation))),
    ),
    _Checks(
        RESTRICTED,
        "capabilities_restricted",
        ((22, restricted.dropped_capabilities), (25, restricted.except_on_windows(restricted.dropped_capabilities))),
        overrides="capabilities_baseline",
    ),
    _Checks(RESTRICTED, "procMount_restricted", ((35, baseline.proc_mount),), overrides="procMount"),
    _Checks(RESTRICTED, "restrictedVolumes", ((0, restricted.restricted_volumes),), overrides="hostPathVolumes"),
    _Checks(
        RESTRICTED,
        "runAsNonRoot",
        ((0, restricted.run_as_non_root), (35, restricted.except_in_user_namespaces(restricted.run_as_non_root))),
    ),
    _Checks(
        RESTRICTED,
        "runAsUser",
        ((23, restricted.run_as_user), (35, restricted.except_in_user_namespaces(restricted.run_as_user))),
    ),
    _Checks(
        RESTRICTED,
        "seccompProfile_restricted",
        (
            (19, restricted.chosen_seccomp_profile),
            (25, restricted.except_on_windows(restricted.chosen_seccomp_profile)),
        ),
        overrides="seccompProfile_baseline",
    ),
)
"""All checks, in the order in which messages list their violations."""
_NEWEST: Final = max(since for checks in _ALL for since, _ in checks.versions)


class Evaluator:
    """Evaluates pods against pod security levels. The checks of each level and version are cached."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[Check, ...]] = {}

    def evaluate(self, level: LevelVersion, metadata: ObjectMeta, spec: PodSpec) -> list[Finding]:
        """Return all violations of a pod security level by a pod with this metadata and spec.

        The pod is checked by the rules of the Kubernetes version that `level` names. If it names no version, or one
        that is newer than the known rules, the newest rules apply.
        """
        if level.level == PRIVILEGED:
            return []
        minor = _NEWEST if level.version is None else min(level.version, _NEWEST)
        checks = self._known.get((level.level, minor))
        if checks is None:
            checks = self._known[level.level, minor] = tuple(_checks_of(level.level, minor))
        return [finding for check in checks if (finding := check(metadata, spec)) is not None]


def _checks_of(level: str, minor: int) -> list[Check]:
    present = [(checks, check) for checks in _ALL if (check := checks.in_version(minor)) is not None]
    if level == BASELINE:
        return [check for checks, check in present if checks.level == BASELINE]
    overridden = {checks.overrides for checks, _ in present}
    return [check for checks, check in present if checks.name not in overridden]


def reasons(findings: Sequence[Finding]) -> str:
    """Return the reasons of the violations in `findings`, joined by commas, without their details."""
    return ", ".join(finding.reason for finding in findings)


def details(findings: Sequence[Finding]) -> str:
    """Return the reasons of the violations in `findings`, joined by commas, each with its details in parentheses."""
    return ", ".join(f"{reason} ({detail})" if detail else reason for reason, detail in findings)

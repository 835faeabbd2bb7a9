"""Rules for security contexts of containers and pods."""

import re
from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from memkube.apimachinery.shown_values import Unversioned
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext, SecurityContext, Sysctl
from memkube.apis.core.v1.podspec.validation.context import SpecRules, containers_with_paths
from memkube.apis.core.v1.podspec.validation.name_rules import validate_unix_id
from memkube.apis.core.v1.podspec.validation.profiles import validate_apparmor_profile, validate_seccomp_profile
from memkube.apis.core.v1.podspec.validation.windows import validate_windows_options

_SYSCTL_SEGMENT: Final = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL: Final = rf"({_SYSCTL_SEGMENT}[\./])*{_SYSCTL_SEGMENT}"
_SYSCTL_LIMIT: Final = 253
_IPC_SYSCTLS: Final = frozenset(
    {
        "kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced", "kernel.shm",
        "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.msg",
    }
)  # fmt: skip
_PROC_MOUNTS: Final = ("Default", "Unmasked")
_FS_GROUP_POLICIES: Final = ("Always", "OnRootMismatch")
_GROUPS_POLICIES: Final = ("Merge", "Strict")
_SELINUX_POLICIES: Final = ("MountOption", "Recursive")


def validate_security_context(context: SecurityContext, path: FieldPath, *, host_users: bool) -> list[FieldError]:
    """Users, groups and profiles can exist, and privileges do not contradict each other."""
    errors = validate_unix_id(context.runAsUser, path.child("runAsUser"))
    errors += validate_unix_id(context.runAsGroup, path.child("runAsGroup"))
    if context.procMount is not None:
        if context.procMount not in _PROC_MOUNTS:
            errors.append(not_supported(path.child("procMount"), context.procMount, _PROC_MOUNTS))
        if host_users and context.procMount == "Unmasked":
            detail = "`hostUsers` must be false to use `Unmasked`"
            errors.append(invalid(path.child("procMount"), context.procMount, detail))
    errors += validate_seccomp_profile(context.seccompProfile, path.child("seccompProfile"))
    if context.allowPrivilegeEscalation is False:
        errors += _validate_no_escalation(context, path)
    errors += validate_windows_options(context.windowsOptions, path.child("windowsOptions"))
    return errors + validate_apparmor_profile(context.appArmorProfile, path.child("appArmorProfile"))


def validate_pod_security_context(spec: PodSpec, path: FieldPath, rules: SpecRules) -> list[FieldError]:
    """As for containers, and sysctls are namespaced apart from the node's."""
    context, path = spec.securityContext, path.child("securityContext")
    if context is None:
        return []
    errors: list[FieldError] = []
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        errors += validate_unix_id(getattr(context, name), path.child(name))
    for index, group in enumerate(context.supplementalGroups):
        errors += validate_unix_id(group, path.child("supplementalGroups").item(index))
    if spec.hostPID and spec.shareProcessNamespace:
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.append(invalid(path.child("shareProcessNamespace"), True, detail))
    if context.sysctls:
        errors += _validate_sysctls(context.sysctls, spec, path.child("sysctls"))
    errors += _validate_enumeration(context, "fsGroupChangePolicy", _FS_GROUP_POLICIES, path)
    errors += validate_seccomp_profile(context.seccompProfile, path.child("seccompProfile"))
    errors += validate_windows_options(context.windowsOptions, path.child("windowsOptions"))
    errors += validate_apparmor_profile(context.appArmorProfile, path.child("appArmorProfile"))
    errors += _validate_enumeration(context, "supplementalGroupsPolicy", _GROUPS_POLICIES, path)
    policies = _SELINUX_POLICIES if rules.any_selinux_policy else ("Recursive",)
    return errors + _validate_enumeration(context, "seLinuxChangePolicy", policies, path)


def validate_host_users(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """A pod with users of its own shares no other namespace with the node, and has no block devices."""
    if spec.hostUsers is not False:
        return []
    detail = "when `hostUsers` is false"
    errors = [
        forbidden(path.child(name), detail)
        for name, shared in (("hostNetwork", spec.hostNetwork), ("HostPID", spec.hostPID), ("HostIPC", spec.hostIPC))
        if shared
    ]
    for container, container_path in containers_with_paths(spec, path):
        if container.volumeDevices:
            errors.append(forbidden(container_path.child("volumeDevices"), detail))
    return errors


def _validate_no_escalation(context: SecurityContext, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if context.privileged:
        detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        errors.append(invalid(path, Unversioned(context), detail))
    added = context.capabilities.add if context.capabilities else []
    detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
    return errors + [invalid(path, Unversioned(context), detail)] * added.count("CAP_SYS_ADMIN")


def _validate_sysctls(sysctls: Sequence[Sysctl], spec: PodSpec, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, sysctl in enumerate(sysctls):
        name, name_path = sysctl.name, path.item(index).child("name")
        if not name:
            errors.append(required(name_path))
        elif len(name) > _SYSCTL_LIMIT or re.fullmatch(_SYSCTL, name) is None:
            detail = f"must have at most {_SYSCTL_LIMIT} characters and match regex ^{_SYSCTL}$"
            errors.append(invalid(name_path, name, detail))
        elif name in seen:
            errors.append(duplicate(name_path, name))
        if shared := _shared_namespace(name, spec):
            errors.append(invalid(name_path, name, f"may not be specified when '{shared}' is true"))
        seen.add(name)
    return errors


def _shared_namespace(sysctl: str, spec: PodSpec) -> str:
    """The field that makes the pod share with its node what the sysctl would change."""
    name = _dotted(sysctl).partition("*")[0]
    is_ipc = name in _IPC_SYSCTLS or name.startswith("fs.mqueue.")
    if spec.hostNetwork and name.startswith("net."):
        return "hostNetwork"
    return "hostIPC" if spec.hostIPC and is_ipc else ""


def _dotted(sysctl: str) -> str:
    """The name with dots between its parts; where slashes come first, dots and slashes change roles."""
    first = re.search(r"[./]", sysctl)
    if first is None or first.group() == ".":
        return sysctl
    return sysctl.translate(str.maketrans("./", "/."))


def _validate_enumeration(
    context: PodSecurityContext, name: str, supported: Sequence[str], path: FieldPath
) -> list[FieldError]:
    value = getattr(context, name)
    return [] if value is None or value in supported else [not_supported(path.child(name), value, supported)]

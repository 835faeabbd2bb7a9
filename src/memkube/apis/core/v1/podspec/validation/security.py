"""Validation of security contexts of pods and containers, for Linux and Windows."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    invalid_typed,
    not_supported,
    required,
)
from memkube.apimachinery.names import is_dns1123_subdomain
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.security import (
    PodSecurityContext,
    SecurityContext,
    Sysctl,
    WindowsSecurityContextOptions,
)
from memkube.apis.core.v1.podspec.validation.context import SpecRules, containers_with_paths, validate_unix_id
from memkube.apis.core.v1.podspec.validation.profiles import validate_apparmor_profile, validate_seccomp_profile

_SYSTEMS: Final = ("linux", "windows")
_CREDENTIAL_SPEC_KIB: Final = 64
_DOMAIN_LIMIT: Final = 256
_USER_LIMIT: Final = 104
_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")
_NETBIOS: Final = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DNS_LABEL: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS: Final = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*")
_FORBIDDEN_IN_USER: Final = re.compile(r'["/\\:;|=,+*?<>@\[\]]')
_ONLY_DOTS: Final = re.compile("[. ]+")
_POD_FIELDS: Final = (
    ("securityContext", "appArmorProfile"),
    ("securityContext", "seLinuxOptions"),
    ("", "hostUsers"),
    ("", "hostPID"),
    ("", "hostIPC"),
    ("securityContext", "seccompProfile"),
    ("securityContext", "fsGroup"),
    ("securityContext", "fsGroupChangePolicy"),
    ("securityContext", "sysctls"),
    ("", "shareProcessNamespace"),
    ("securityContext", "runAsUser"),
    ("securityContext", "runAsGroup"),
    ("securityContext", "supplementalGroups"),
    ("securityContext", "supplementalGroupsPolicy"),
    ("securityContext", "seLinuxChangePolicy"),
)
_CONTAINER_FIELDS: Final = (
    "appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged",
    "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup",
)  # fmt: skip
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


def validate_os(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """Validate the OS of a pod: it is known, and no field for another OS is set."""
    if spec.os is None:
        return []
    if not spec.os.name:
        return [required(path.child("os").child("name"))]
    if spec.os.name not in _SYSTEMS:
        return [not_supported(path.child("os"), spec.os.name, _SYSTEMS)]
    return _validate_linux(spec, path) if spec.os.name == "linux" else _validate_windows(spec, path)


def validate_host_process(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """Validate hostProcess of Windows containers.

    It must be equal for all containers of the pod, and requires the host network.
    """
    of_pod = _host_process(spec.securityContext.windowsOptions if spec.securityContext else None)
    errors: list[FieldError] = []
    total = host_processes = 0
    for container, container_path in containers_with_paths(spec, path):
        total += 1
        own = _host_process(container.securityContext.windowsOptions if container.securityContext else None)
        if of_pod is not None and own is not None and of_pod != own:
            value = str(of_pod).lower()
            detail = f"pod hostProcess value must be identical if both are specified, was {value}"
            option_path = container_path.child("securityContext").child("windowsOptions").child("hostProcess")
            errors.append(invalid(option_path, own, detail))
        host_processes += bool(of_pod if own is None else own)
    if host_processes and host_processes != total:
        detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        errors.append(invalid(path, "", detail))
    if host_processes and not spec.hostNetwork:
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        errors.append(invalid(path.child("hostNetwork"), False, detail))
    return errors


def validate_windows_options(options: WindowsSecurityContextOptions | None, path: FieldPath) -> list[FieldError]:
    """Validate the Windows options of a security context: GMSA credential spec and user name."""
    if options is None:
        return []
    errors: list[FieldError] = []
    if (name := options.gmsaCredentialSpecName) is not None:
        errors += [
            invalid_typed(path.child("gmsaCredentialSpecName"), name, error) for error in is_dns1123_subdomain(name)
        ]
    if (spec := options.gmsaCredentialSpec) is not None:
        spec_path = path.child("gmsaCredentialSpec")
        if not spec:
            errors.append(invalid(spec_path, spec, "gmsaCredentialSpec cannot be an empty string"))
        elif len(spec.encode()) > _CREDENTIAL_SPEC_KIB * 1024:
            detail = f"gmsaCredentialSpec size must be under {_CREDENTIAL_SPEC_KIB} KiB"
            errors.append(invalid_typed(spec_path, spec, detail))
    if (user := options.runAsUserName) is not None:
        errors += [
            invalid_typed(path.child("runAsUserName"), user, f"runAsUserName{error}") for error in _user_errors(user)
        ]
    return errors


def _user_errors(name: str) -> Iterable[str]:
    domain, backslash, user = name.rpartition("\\")
    if not name:
        yield " cannot be an empty string"
    elif _CONTROL.search(name):
        yield " cannot contain control characters"
    elif "\\" in domain:
        yield " cannot contain more than one backslash"
    else:
        if len(domain.encode()) >= _DOMAIN_LIMIT:
            yield f"'s Domain length must be under {_DOMAIN_LIMIT} characters"
        if backslash and not (_NETBIOS.fullmatch(domain) or _DNS.fullmatch(domain)):
            yield "'s Domain doesn't match the NetBios nor the DNS format"
        if not user:
            yield "'s User cannot be empty"
        elif len(user.encode()) > _USER_LIMIT:
            yield f"'s User length must not be longer than {_USER_LIMIT} characters"
        if _ONLY_DOTS.fullmatch(user):
            yield "'s User cannot contain only periods or spaces"
        if _FORBIDDEN_IN_USER.search(user):
            yield r"""'s User cannot contain the following characters: "/\:;|=,+*?<>@[]"""


def _host_process(options: WindowsSecurityContextOptions | None) -> bool | None:
    return options.hostProcess if options else None


def _validate_linux(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    detail = "windows options cannot be set for a linux pod"
    errors: list[FieldError] = []
    if spec.securityContext is not None and spec.securityContext.windowsOptions is not None:
        errors.append(forbidden(path.child("securityContext").child("windowsOptions"), detail))
    for container, container_path in containers_with_paths(spec, path):
        if container.securityContext is not None and container.securityContext.windowsOptions is not None:
            errors.append(forbidden(container_path.child("securityContext").child("windowsOptions"), detail))
    return errors


def _validate_windows(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    detail = "cannot be set for a windows pod"
    errors: list[FieldError] = []
    for owner, name in _POD_FIELDS:
        value = getattr(spec.securityContext if owner else spec, name, None)
        if value is not None and (value or name not in ("hostPID", "hostIPC", "sysctls", "supplementalGroups")):
            errors.append(forbidden((path.child(owner) if owner else path).child(name), detail))
    for container, container_path in containers_with_paths(spec, path):
        context_path = container_path.child("securityContext")
        set_fields = (name for name in _CONTAINER_FIELDS if getattr(container.securityContext, name, None) is not None)
        errors += [forbidden(context_path.child(name), detail) for name in set_fields]
    return errors


def validate_security_context(context: SecurityContext, path: FieldPath, *, host_users: bool) -> list[FieldError]:
    """Validate the security context of a container: valid IDs and profiles, and no contradicting privileges.

    `host_users` is True if the pod shares the user namespace of the node.
    """
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
    """Validate a pod's security context: IDs, profiles and namespaced sysctls.

    `rules` says which SELinux change policies are accepted.
    """
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
    """Validate a pod with its own user namespace: it may not use host namespaces or block devices."""
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
        errors.append(invalid(path, InternalValue(context), detail))
    added = context.capabilities.add if context.capabilities else []
    detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
    return errors + [invalid(path, InternalValue(context), detail)] * added.count("CAP_SYS_ADMIN")


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
    """Return the pod field by which a sysctl's namespace is shared with the node: hostNetwork or hostIPC.

    Returns an empty text if the pod has its own namespace.
    """
    name = _dotted(sysctl).partition("*")[0]
    is_ipc = name in _IPC_SYSCTLS or name.startswith("fs.mqueue.")
    if spec.hostNetwork and name.startswith("net."):
        return "hostNetwork"
    return "hostIPC" if spec.hostIPC and is_ipc else ""


def _dotted(sysctl: str) -> str:
    """Return the name of a sysctl with dots between its parts, such as ``net.ipv4.ip_forward``.

    If the first separator in the name is a slash, as in ``net/ipv4/conf/eth0.1/mtu``, slashes become dots, and dots
    become slashes.
    """
    first = re.search(r"[./]", sysctl)
    if first is None or first.group() == ".":
        return sysctl
    return sysctl.translate(str.maketrans("./", "/."))


def _validate_enumeration(
    context: PodSecurityContext, name: str, supported: Sequence[str], path: FieldPath
) -> list[FieldError]:
    value = getattr(context, name)
    return [] if value is None or value in supported else [not_supported(path.child(name), value, supported)]

"""Checks of the level ``baseline``, which prevents known privilege escalations."""

from collections.abc import Iterator
from typing import Final

from memkube.admission.pod_security.findings import (
    Check,
    Finding,
    containers_of,
    listed,
    names_of,
    of_containers,
    plural,
    setters,
    use,
    values_of,
)
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.probes import LifecycleHandler, ProbeHandler
from memkube.apis.core.v1.podspec.types.security import SELinuxOptions
from memkube.apis.core.v1.podspec.validation.context import AnyContainer

_PROFILES: Final = ("RuntimeDefault", "Localhost")
_APPARMOR_ANNOTATION: Final = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_ANNOTATION: Final = "seccomp.security.alpha.kubernetes.io/pod"
_DEFAULT_CAPABILITIES: Final = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)
_SYSCTLS_1_0: Final = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_unprivileged_port_start",
    }
)
_SYSCTLS_1_27: Final = _SYSCTLS_1_0 | {"net.ipv4.ip_local_reserved_ports"}
_SYSCTLS_1_29: Final = _SYSCTLS_1_27 | {
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
}
_SYSCTLS_1_32: Final = _SYSCTLS_1_29 | {"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"}
_SELINUX_1_0: Final = frozenset({"", "container_t", "container_init_t", "container_kvm_t"})
_SELINUX_1_31: Final = _SELINUX_1_0 | {"container_engine_t"}


def app_armor_profile(metadata: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid AppArmor profiles other than RuntimeDefault and Localhost."""
    own, of_each = values_of(spec, lambda context: context.appArmorProfile)
    pod = own is not None and own.type not in _PROFILES
    bad = {name: profile.type for name, profile in of_each if profile is not None and profile.type not in _PROFILES}
    values = sorted({*bad.values(), *([own.type] if own is not None and pod else [])})
    annotations = sorted(
        f"{key}={quoted(value)}"
        for key, value in metadata.annotations.items()
        if key.startswith(_APPARMOR_ANNOTATION) and not _is_allowed_app_armor(value)
    )
    who = setters(pod, list(bad))
    if annotations:
        values += annotations
        who = " and ".join(filter(None, (who, plural("annotation", annotations))))
    if not who:
        return None
    detail = f"{who} must not set AppArmor profile type to {listed(values)}"
    return Finding(plural("forbidden AppArmor profile", values), detail)


def _is_allowed_app_armor(profile: str) -> bool:
    return profile in ("", "runtime/default") or profile.startswith("localhost/")


def capabilities(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid capabilities beyond those that container runtimes grant by default."""
    added = {c.name: _added(c) - _DEFAULT_CAPABILITIES for c in containers_of(spec)}
    names = names_of(spec, lambda container: added[container.name])
    if not names:
        return None
    values = listed(sorted(frozenset().union(*added.values())))
    detail = f"{of_containers(names)} must not include {values} in securityContext.capabilities.add"
    return Finding("non-default capabilities", detail)


def _added(container: AnyContainer) -> frozenset[str]:
    context = container.securityContext
    return frozenset(context.capabilities.add if context and context.capabilities else ())


def host_namespaces(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Return a finding that lists the host namespaces (network, PID, IPC) that the pod uses; None if it uses none."""
    shared = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if getattr(spec, name)]
    return Finding("host namespaces", ", ".join(shared)) if shared else None


def host_path_volumes(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid hostPath volumes. Return a finding that names those of the pod `spec`, or None if it has none."""
    names = [volume.name for volume in spec.volumes if volume.hostPath is not None]
    return Finding("hostPath volumes", f"{plural('volume', names)} {listed(names)}") if names else None


def host_ports(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid host ports. Return a finding that names the containers with a hostPort, or None if there is none."""
    names = names_of(spec, lambda container: any(port.hostPort for port in container.ports))
    if not names:
        return None
    ports = sorted({str(port.hostPort) for c in containers_of(spec) for port in c.ports if port.hostPort})
    return Finding("hostPort", f"{of_containers(names)} {use(names)} {plural('hostPort', ports)} {', '.join(ports)}")


def host_probes(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid the field ``host`` in probes and lifecycle hooks, so that they connect only to the pod itself."""
    hosts = [(container.name, host) for container in containers_of(spec) for host in _hosts(container)]
    if not hosts:
        return None
    names, values = (sorted(set(column)) for column in zip(*hosts, strict=True))
    reason = "probe or lifecycle host"
    return Finding(reason, f"{of_containers(names)} {use(names)} {plural(reason, values)} {listed(values)}")


def _hosts(container: AnyContainer) -> Iterator[str]:
    hooks = container.lifecycle
    handlers: list[ProbeHandler | LifecycleHandler | None] = [
        container.livenessProbe,
        container.readinessProbe,
        container.startupProbe,
        *((hooks.postStart, hooks.preStop) if hooks else ()),
    ]
    for handler in handlers:
        if handler is not None:
            yield from (action.host for action in (handler.httpGet, handler.tcpSocket) if action and action.host)


def privileged(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid privileged containers. Return a finding that names them, or None if the pod has none."""
    names = names_of(spec, lambda container: container.securityContext and container.securityContext.privileged)
    if not names:
        return None
    return Finding("privileged", f"{of_containers(names)} must not set securityContext.privileged=true")


def proc_mount(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid unmasked /proc mounts."""
    mounts = [(c.name, c.securityContext.procMount) for c in containers_of(spec) if c.securityContext]
    bad = [(name, mount) for name, mount in mounts if mount is not None and mount != "Default"]
    if not bad:
        return None
    values = listed(sorted({mount for _, mount in bad}))
    names = of_containers([name for name, _ in bad])
    return Finding("procMount", f"{names} must not set securityContext.procMount to {values}")


def _se_linux_options(types: frozenset[str]) -> Check:
    def is_bad(options: SELinuxOptions | None) -> bool:
        return options is not None and bool(options.type not in types or options.user or options.role)

    def check(_: ObjectMeta, spec: PodSpec) -> Finding | None:
        own, of_each = values_of(spec, lambda context: context.seLinuxOptions)
        who = setters(is_bad(own), [name for name, options in of_each if is_bad(options)])
        if not who:
            return None
        given = [options for options in (own, *(options for _, options in of_each)) if options is not None]
        bad_types = sorted({options.type for options in given} - types)
        data = [f"{plural('type', bad_types)} {listed(bad_types)}"] if bad_types else []
        data += ["user may not be set"] if any(options.user for options in given) else []
        data += ["role may not be set"] if any(options.role for options in given) else []
        return Finding("seLinuxOptions", f"{who} set forbidden securityContext.seLinuxOptions: {'; '.join(data)}")

    return check


se_linux_options_1_0 = _se_linux_options(_SELINUX_1_0)
se_linux_options_1_31 = _se_linux_options(_SELINUX_1_31)


def seccomp_annotations(metadata: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid unconfined seccomp in the annotations that were used before Kubernetes 1.19."""
    keys = [
        _SECCOMP_ANNOTATION,
        *(f"container.seccomp.security.alpha.kubernetes.io/{name}" for name in _container_names(spec)),
    ]
    set_here = {key: metadata.annotations[key] for key in keys if key in metadata.annotations}
    bad = sorted(f"{key}={quoted(value)}" for key, value in set_here.items() if not _is_allowed_seccomp(value))
    return Finding("seccompProfile", f"forbidden {plural('annotation', bad)} {', '.join(bad)}") if bad else None


def _container_names(spec: PodSpec) -> list[str]:
    return [container.name for container in containers_of(spec)]


def _is_allowed_seccomp(profile: str) -> bool:
    return profile in ("runtime/default", "docker/default") or profile.startswith("localhost/")


def seccomp_profile(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid seccomp profiles other than RuntimeDefault and Localhost."""
    own, of_each = values_of(spec, lambda context: context.seccompProfile)
    pod = own is not None and own.type not in _PROFILES
    bad = [(name, profile.type) for name, profile in of_each if profile is not None and profile.type not in _PROFILES]
    who = setters(pod, [name for name, _ in bad])
    if not who:
        return None
    values = sorted({*(type_ for _, type_ in bad), *([own.type] if own is not None and pod else [])})
    return Finding("seccompProfile", f"{who} must not set securityContext.seccompProfile.type to {listed(values)}")


def _sysctls(allowed: frozenset[str]) -> Check:
    def check(_: ObjectMeta, spec: PodSpec) -> Finding | None:
        given = spec.securityContext.sysctls if spec.securityContext else []
        bad = [sysctl.name for sysctl in given if sysctl.name not in allowed]
        return Finding("forbidden sysctls", ", ".join(bad)) if bad else None

    return check


sysctls_1_0 = _sysctls(_SYSCTLS_1_0)
sysctls_1_27 = _sysctls(_SYSCTLS_1_27)
sysctls_1_29 = _sysctls(_SYSCTLS_1_29)
sysctls_1_32 = _sysctls(_SYSCTLS_1_32)


def windows_host_process(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid Windows HostProcess containers."""
    own, of_each = values_of(spec, lambda context: context.windowsOptions and context.windowsOptions.hostProcess)
    who = setters(own, [name for name, is_process in of_each if is_process])
    if not who:
        return None
    return Finding("hostProcess", f"{who} must not set securityContext.windowsOptions.hostProcess=true")

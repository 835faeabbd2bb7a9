"""Kernel parameters of pods (``pkg/kubelet/sysctl``)."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec

_SAFE: Final = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_wmem",
    }
)
"""Safe kernel parameters, which kubelets allow without the option ``allowedUnsafeSysctls``."""


def forbidden_sysctl(spec: Document) -> str:
    """Return why the kubelet refuses a pod for its kernel parameters; empty if it allows each parameter."""
    context = spec.get("securityContext") or {}
    for sysctl in context.get("sysctls") or ():
        name = _dotted(sysctl["name"])
        if name not in _SAFE:
            return f"forbidden sysctl: {quoted(name)} not allowlisted"
    return ""


def sysctl_files(spec: PodSpec) -> Mapping[str, bytes]:
    """Return the files below ``/proc/sys`` with the kernel parameters that a pod sets, by path."""
    sysctls = spec.securityContext.sysctls if spec.securityContext is not None else ()
    return {f"/proc/sys/{_dotted(sysctl.name).replace('.', '/')}": f"{sysctl.value}\n".encode() for sysctl in sysctls}


def _dotted(name: str) -> str:
    """Return the name of a kernel parameter with dots as separators. The separators in `name` may be slashes."""
    first = next((character for character in name if character in "./"), ".")
    return name if first == "." else name.translate(str.maketrans("./", "/."))

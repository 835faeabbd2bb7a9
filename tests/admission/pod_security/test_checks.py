"""The checks of the pod security standards, with messages from Kubernetes' own tests of each check."""

from typing import Any

import pytest

from memkube.admission.pod_security.evaluation import Evaluator, details, reasons
from memkube.admission.pod_security.policy import LevelVersion
from memkube.apis.core.v1.pods.types import Pod

_SAFE = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
_HARDENED = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


def _pod(
    *containers: dict[str, Any], annotations: dict[str, str] | None = None, safe: bool = False, **spec: Any
) -> Pod:
    """Return a pod with containers a, b and c.

    With `safe`, the pod breaks no rule except by the given fields.
    """
    given = containers or ({},)
    own = [{"name": name, "image": "x", **fields} for name, fields in zip("abc", given, strict=False)]
    if safe:
        own = [{**container, "securityContext": {**_SAFE, **container.get("securityContext", {})}} for container in own]
        spec["securityContext"] = {**_HARDENED, **spec.get("securityContext", {})}
    return Pod.from_document({"metadata": {"annotations": annotations or {}}, "spec": {**spec, "containers": own}})


def _context(**fields: Any) -> dict[str, Any]:
    return {"securityContext": fields}


def _said(level: str, version: int | None, pod: Pod) -> str:
    return details(Evaluator().evaluate(LevelVersion(level, version), pod.metadata, pod.spec))


_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"


@pytest.mark.parametrize(
    ("pod", "said"),
    [
        (
            _pod(
                _context(appArmorProfile={"type": "Unconfined"}),
                annotations={f"{_APPARMOR}b": "bogus", f"{_APPARMOR}c": "localhost/x", f"{_APPARMOR}d": ""},
                securityContext={"appArmorProfile": {"type": "Odd"}},
            ),
            (
                'forbidden AppArmor profiles (pod and container "a" and annotation must not set AppArmor profile type '
                f'to "Odd", "Unconfined", "{_APPARMOR}b="bogus"")'
            ),
        ),
        (
            _pod(_context(capabilities={"add": ["B", "CHOWN"]}), {}, _context(capabilities={"add": ["A", "KILL"]})),
            (
                'non-default capabilities (containers "a", "c" must not include "A", "B" in '
                "securityContext.capabilities.add)"
            ),
        ),
        (_pod(hostNetwork=True, hostIPC=True), "host namespaces (hostNetwork=true, hostIPC=true)"),
        (
            _pod(volumes=[{"name": name, "hostPath": {"path": "/"}} for name in "xy"]),
            'hostPath volumes (volumes "x", "y")',
        ),
        (
            _pod({"ports": [{"hostPort": 9}, {"hostPort": 80}, {"hostPort": 0}]}),
            'hostPort (container "a" uses hostPorts 80, 9)',
        ),
        (
            _pod(
                {"livenessProbe": {"httpGet": {"host": "z"}}, "lifecycle": {"preStop": {"tcpSocket": {"host": "y"}}}},
                {"startupProbe": {"tcpSocket": {"host": ""}}},
                {"lifecycle": {"postStart": {"httpGet": {"host": "y"}}}},
            ),
            'probe or lifecycle host (containers "a", "c" use probe or lifecycle hosts "y", "z")',
        ),
        (
            _pod(_context(privileged=True), _context(privileged=False)),
            'privileged (container "a" must not set securityContext.privileged=true)',
        ),
        (
            _pod(_context(procMount="Unmasked"), _context(procMount="Default"), _context(procMount="")),
            'procMount (containers "a", "c" must not set securityContext.procMount to "", "Unmasked")',
        ),
        (
            _pod(
                _context(seLinuxOptions={"type": "bad", "role": "r"}),
                _context(seLinuxOptions={"type": "container_engine_t", "level": "s0"}),
                securityContext={"seLinuxOptions": {"user": "u"}},
            ),
            (
                'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "bad"; '
                "user may not be set; role may not be set)"
            ),
        ),
        (
            _pod(
                _context(seccompProfile={"type": "Unconfined"}), securityContext={"seccompProfile": {"type": "Other"}}
            ),
            (
                'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to '
                '"Other", "Unconfined")'
            ),
        ),
        (
            _pod(securityContext={"sysctls": [{"name": n} for n in ("b", "net.ipv4.tcp_rmem", "a")]}),
            "forbidden sysctls (b, a)",
        ),
        (
            _pod(
                _context(windowsOptions={"hostProcess": True}),
                securityContext={"windowsOptions": {"hostProcess": True}},
            ),
            'hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)',
        ),
        (_pod(), ""),
    ],
)
def test_the_baseline_forbids_ways_to_the_node(pod: Pod, said: str) -> None:
    assert _said("baseline", None, pod) == said


@pytest.mark.parametrize(
    ("pod", "said"),
    [
        (
            _pod(_context(allowPrivilegeEscalation=True), {}, safe=True),
            'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
        ),
        (
            _pod(
                _context(capabilities={"add": ["NET_BIND_SERVICE", "X"]}),
                _context(capabilities={"drop": ["ALL"], "add": ["CHOWN"]}),
                safe=True,
            ),
            (
                'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; '
                'containers "a", "b" must not include "CHOWN", "X" in securityContext.capabilities.add)'
            ),
        ),
        (
            _pod(_context(procMount="Unmasked"), safe=True, hostUsers=False),
            'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
        ),
        (
            _pod(
                volumes=[{"name": "x", "hostPath": {}}, {"name": "y", "nfs": {}}, {"name": "z", "emptyDir": {}}],
                safe=True,
            ),
            'restricted volume types (volumes "x", "y" use restricted volume types "hostPath", "nfs")',
        ),
        (
            _pod(_context(runAsNonRoot=True), {}, safe=True, securityContext={"runAsNonRoot": None}),
            'runAsNonRoot != true (pod or container "b" must set securityContext.runAsNonRoot=true)',
        ),
        (
            _pod(_context(runAsNonRoot=False), safe=True, securityContext={"runAsNonRoot": False}),
            'runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false)',
        ),
        (
            _pod(_context(runAsUser=0), _context(runAsUser=1), safe=True, securityContext={"runAsUser": 0}),
            'runAsUser=0 (pod and container "a" must not set runAsUser=0)',
        ),
        (
            _pod({}, {}, safe=True, securityContext={"seccompProfile": None}),
            (
                'seccompProfile (pod or containers "a", "b" must set securityContext.seccompProfile.type to '
                '"RuntimeDefault" or "Localhost")'
            ),
        ),
        (_pod(safe=True), ""),
        (
            _pod(safe=True, hostUsers=False, securityContext={"runAsNonRoot": False, "runAsUser": 0}),
            "",
        ),
        (_pod(os={"name": "windows"}, securityContext={"runAsNonRoot": True}), ""),
    ],
)
def test_the_restricted_level_demands_what_hardens(pod: Pod, said: str) -> None:
    assert _said("restricted", None, pod) == said


def _names(level: str, version: int, pod: Pod) -> str:
    return reasons(Evaluator().evaluate(LevelVersion(level, version), pod.metadata, pod.spec))


_ROOT = _pod(hostUsers=False, securityContext={"runAsUser": 0})


@pytest.mark.parametrize(
    ("level", "version", "pod", "said"),
    [
        ("restricted", 0, _pod(), "runAsNonRoot != true"),
        ("restricted", 7, _pod(), "runAsNonRoot != true"),
        ("restricted", 8, _pod(), "allowPrivilegeEscalation != false, runAsNonRoot != true"),
        ("restricted", 19, _pod(), "allowPrivilegeEscalation != false, runAsNonRoot != true, seccompProfile"),
        (
            "restricted",
            22,
            _pod(),
            "allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
        ),
        ("restricted", 24, _pod(safe=True, os={"name": "windows"}), ""),
        (
            "restricted",
            24,
            _pod(os={"name": "windows"}, securityContext=_HARDENED),
            "allowPrivilegeEscalation != false, unrestricted capabilities",
        ),
        ("restricted", 25, _pod(os={"name": "windows"}, securityContext=_HARDENED), ""),
        ("restricted", 7, _ROOT, "runAsNonRoot != true"),
        ("restricted", 34, _pod(safe=True, hostUsers=False, securityContext={"runAsUser": 0}), "runAsUser=0"),
        ("restricted", 35, _pod(safe=True, hostUsers=False, securityContext={"runAsUser": 0}), ""),
        ("baseline", 18, _pod(annotations={_SECCOMP: "unconfined"}), "seccompProfile"),
        ("baseline", 19, _pod(annotations={_SECCOMP: "unconfined"}), ""),
        ("baseline", 26, _pod(securityContext={"sysctls": [{"name": "net.ipv4.tcp_rmem"}]}), "forbidden sysctls"),
        ("baseline", 32, _pod(securityContext={"sysctls": [{"name": "net.ipv4.tcp_rmem"}]}), ""),
        ("baseline", 30, _pod(_context(seLinuxOptions={"type": "container_engine_t"})), "seLinuxOptions"),
        ("baseline", 31, _pod(_context(seLinuxOptions={"type": "container_engine_t"})), ""),
        ("baseline", 33, _pod({"livenessProbe": {"httpGet": {"host": "z"}}}), ""),
        ("baseline", 34, _pod({"livenessProbe": {"httpGet": {"host": "z"}}}), "probe or lifecycle host"),
        ("baseline", 34, _pod(_context(procMount="Unmasked"), hostUsers=False), "procMount"),
        ("baseline", 35, _pod(_context(procMount="Unmasked"), hostUsers=False), ""),
        ("baseline", 99, _pod(hostPID=True), "host namespaces"),
        ("privileged", 35, _pod(hostPID=True), ""),
    ],
)
def test_a_version_has_the_checks_that_there_were(level: str, version: int, pod: Pod, said: str) -> None:
    assert _names(level, version, pod) == said


def test_old_annotations_of_containers_are_quoted_with_their_values() -> None:
    annotation = "container.seccomp.security.alpha.kubernetes.io/a"
    pod = _pod(annotations={_SECCOMP: "unconfined", annotation: "x", f"{annotation}z": "x"})
    said = f'forbidden annotations {annotation}="x", {_SECCOMP}="unconfined"'
    assert _said("baseline", 18, pod) == f"seccompProfile ({said})"


def test_all_sorts_of_containers_are_looked_at_in_order() -> None:
    bad = {"image": "x", "securityContext": {"privileged": True}}
    spec = {
        "containers": [{"name": "main", **bad}],
        "initContainers": [{"name": "init", **bad}],
        "ephemeralContainers": [{"name": "debug", **bad}],
    }
    said = _said("baseline", None, Pod.from_document({"metadata": {}, "spec": spec}))
    assert said == 'privileged (containers "init", "main", "debug" must not set securityContext.privileged=true)'

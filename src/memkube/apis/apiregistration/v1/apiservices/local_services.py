"""APIServices of the API groups and versions that memkube itself serves, with their priorities in discovery.

Sources: ``cmd/kube-apiserver/app/aggregator.go`` and ``pkg/controlplane/apiserver/aggregator.go``.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from memkube.apimachinery.model import Document

MANAGED_LABEL: Final = "kube-aggregator.kubernetes.io/automanaged"
_GROUPS: Final = {
    "": 18000,
    "apps": 17800,
    "events.k8s.io": 17750,
    "authentication.k8s.io": 17700,
    "authorization.k8s.io": 17600,
    "autoscaling": 17500,
    "batch": 17400,
    "certificates.k8s.io": 17300,
    "networking.k8s.io": 17200,
    "policy": 17100,
    "rbac.authorization.k8s.io": 17000,
    "storage.k8s.io": 16800,
    "admissionregistration.k8s.io": 16700,
    "apiextensions.k8s.io": 16700,
    "scheduling.k8s.io": 16600,
    "coordination.k8s.io": 16500,
    "node.k8s.io": 16300,
    "discovery.k8s.io": 16200,
    "resource.k8s.io": 16200,
    "flowcontrol.apiserver.k8s.io": 16100,
    "metrics.k8s.io": 100,
}
_STABLE: Final = 15
_VERSIONS: Final = {
    ("", "v1"): 1,
    ("autoscaling", "v2"): 30,
    ("resource.k8s.io", "v1"): 21,
    ("flowcontrol.apiserver.k8s.io", "v1"): 21,
    ("metrics.k8s.io", "v1beta1"): 100,
}


def local_condition(now: str) -> Document:
    """Return the Available condition of an APIService whose API group memkube itself serves.

    `now` becomes its lastTransitionTime.
    """
    return {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": now,
        "reason": "Local",
        "message": "Local APIServices are always available",
    }


def local_api_services(groups: Mapping[str, Sequence[str]]) -> list[Document]:
    """Return one APIService for each built-in version of the API groups, as kube-apiserver creates them.

    Group apiregistration.k8s.io has no APIService.
    """
    return [
        {
            "metadata": {"name": f"{version}.{group}", "labels": {MANAGED_LABEL: "onstart"}},
            "spec": {
                **({"group": group} if group else {}),
                "version": version,
                "groupPriorityMinimum": _GROUPS[group],
                "versionPriority": _VERSIONS.get((group, version), _STABLE),
            },
        }
        for group, versions in groups.items()
        for version in versions
        if group in _GROUPS
    ]

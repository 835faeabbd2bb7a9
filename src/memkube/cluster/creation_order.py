"""The order in which objects are created, so that objects exist before others refer to them."""

from typing import Final

_FIRST: Final = (
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("", "Namespace"),
    ("", "Node"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("node.k8s.io", "RuntimeClass"),
    ("storage.k8s.io", "StorageClass"),
    ("networking.k8s.io", "IngressClass"),
    ("networking.k8s.io", "ServiceCIDR"),
    ("", "LimitRange"),
    ("", "ServiceAccount"),
    ("", "Secret"),
    ("", "ConfigMap"),
    ("", "PersistentVolume"),
    ("", "PersistentVolumeClaim"),
    ("", "Service"),
)
_LAST: Final = (
    ("", "ResourceQuota"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiregistration.k8s.io", "APIService"),
)
_RANKS: Final = {
    **{kind: rank - len(_FIRST) for rank, kind in enumerate(_FIRST)},
    **{kind: rank + 1 for rank, kind in enumerate(_LAST)},
}
JUDGES: Final = 1
"""Lowest creation rank of kinds that affect the creation of other objects: quotas, policies, webhooks, APIServices."""


def creation_rank(api_version: str, kind: str) -> int:
    """Return the rank of a kind in the order of creation: lower ranks are created first, and most kinds have rank 0.

    Custom resource definitions come first, then namespaces, then objects that admission plugins look up. Quotas,
    admission policies, webhook configurations and APIServices come last, with ranks from `JUDGES` on. They do not exist
    yet while the other objects are created. So no quota or policy refuses these, and no webhook or extension API server
    is called.
    """
    return _RANKS.get((api_version.rpartition("/")[0], kind), 0)

"""In which order objects can be made, so that each finds what the API server looks up for it."""

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
"""From this rank on, objects decide over others: quotas, policies, webhooks, API services."""


def creation_rank(api_version: str, kind: str) -> int:
    """Where a kind stands: what others need is below 0, what decides over others is `JUDGES` and more.

    Definitions come first, then namespaces, then what admission plugins look up; policies, webhook configurations and
    API services come last, so that what they call need not be there for the rest.
    """
    return _RANKS.get((api_version.rpartition("/")[0], kind), 0)

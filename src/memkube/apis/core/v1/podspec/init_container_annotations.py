"""Annotations in which init containers stood once (``pkg/apis/core/v1/conversion.go``)."""

from typing import Final

_ANNOTATIONS: Final = frozenset(
    {
        "pod.beta.kubernetes.io/init-containers",
        "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-container-statuses",
    }
)


def without_init_containers(annotations: dict[str, str]) -> dict[str, str]:
    """The other annotations; the same dictionary where there are no more."""
    if _ANNOTATIONS.isdisjoint(annotations):
        return annotations
    return {key: value for key, value in annotations.items() if key not in _ANNOTATIONS}

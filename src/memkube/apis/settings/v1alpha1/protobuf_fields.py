"""Field numbers of the settings.k8s.io/v1alpha1 messages. Source: the protobuf tags of Kubernetes 1.19."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "PodPreset": "metadata=1 spec=2",
    "PodPresetSpec": "selector=1 env=2 envFrom=3 volumes=4 volumeMounts=5",
}

"""What a namespace gets where the client says nothing."""

from typing import Final

from memkube.apis.core.v1.namespaces.types import Namespace

NAME_LABEL: Final = "kubernetes.io/metadata.name"


def default_namespace(namespace: Namespace) -> None:
    """Labels a namespace with its name, as soon as it has one, and makes it active."""
    if namespace.metadata.name:
        namespace.metadata.labels[NAME_LABEL] = namespace.metadata.name
    namespace.status.phase = namespace.status.phase or "Active"

"""What controllers give every namespace: the account ``default`` and the certificate of the API server."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ACCOUNT: Final = "default"
"""The name of the ServiceAccount."""
CERTIFICATE: Final = "kube-root-ca.crt"
"""The name of the ConfigMap."""
ANNOTATION: Final = "kubernetes.io/description"
DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)
# The server speaks plain HTTP, which nothing certifies.
DATA: Final[Mapping[str, str]] = MappingProxyType({"ca.crt": ""})
MANAGER: Final = "kube-controller-manager"
"""Whose they are."""

"""Objects that controllers create in every namespace: ServiceAccount ``default`` and the API server's CA bundle."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ACCOUNT: Final = "default"
"""Name of the ServiceAccount."""
CERTIFICATE: Final = "kube-root-ca.crt"
"""Name of the ConfigMap."""
ANNOTATION: Final = "kubernetes.io/description"
DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)
# The server speaks plain HTTP, so there is no CA certificate.
DATA: Final[Mapping[str, str]] = MappingProxyType({"ca.crt": ""})
MANAGER: Final = "kube-controller-manager"
"""Field manager of both objects."""

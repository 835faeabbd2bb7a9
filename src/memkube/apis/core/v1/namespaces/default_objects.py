"""Objects that controllers create in every namespace: ServiceAccount ``default`` and ConfigMap ``kube-root-ca.crt``."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ACCOUNT: Final = "default"
"""Name of the ServiceAccount that every namespace has: ``default``."""
CERTIFICATE: Final = "kube-root-ca.crt"
"""Name of the ConfigMap with the API server's CA certificate that every namespace has."""
ANNOTATION: Final = "kubernetes.io/description"
DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)
# By default, the server speaks plain HTTP and has no CA certificate, so the value is empty. memkube leaves it empty
# even if the server uses TLS.
DATA: Final[Mapping[str, str]] = MappingProxyType({"ca.crt": ""})
MANAGER: Final = "kube-controller-manager"
"""Name of the field manager that owns the fields of the default ServiceAccount and ConfigMap."""

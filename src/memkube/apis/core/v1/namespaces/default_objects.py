"""Objects that controllers create in every namespace: ServiceAccount ``default`` and ConfigMap ``kube-root-ca.crt``."""

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
CERTIFICATE_KEY: Final = "ca.crt"
"""Key of the certificate in the data of the ConfigMap, and in those of token Secrets.

The value is empty if the server does not use TLS.
"""
MANAGER: Final = "kube-controller-manager"
"""Name of the field manager that owns the fields of the default ServiceAccount and ConfigMap."""

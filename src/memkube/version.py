"""The version of memkube, and the release of Kubernetes that it implements."""

from typing import Final

VERSION: Final = "1.0.0rc1"
KUBERNETES_VERSION: Final = "1.36.2"
"""The Kubernetes release whose API and behaviour this server implements."""

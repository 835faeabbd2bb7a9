"""The kinds of the API group and version certificates/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/certificates/v1"

"""The kinds of the API group and version authentication/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/authentication/v1"

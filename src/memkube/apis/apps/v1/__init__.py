"""The kinds of the API group and version apps/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/apps/v1"

"""The kinds of the API group and version rbac/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/rbac/v1"

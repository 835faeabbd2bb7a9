"""Import path of the Go package with the rbac/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/rbac/v1"

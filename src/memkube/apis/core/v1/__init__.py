"""Import path of the Go package with the core/v1 API types. Subpackages implement the core/v1 kinds."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/core/v1"

"""Import path of the Go package with the apps/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/apps/v1"

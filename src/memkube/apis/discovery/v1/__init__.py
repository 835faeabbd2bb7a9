"""Import path of the Go package with the discovery/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/discovery/v1"

"""Import path of the Go package with the networking/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/networking/v1"

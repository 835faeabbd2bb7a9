"""Import path of the Go package with the resource/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/resource/v1"

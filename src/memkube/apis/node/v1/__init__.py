"""Import path of the Go package with the node/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/node/v1"

"""Import path of the Go package with the batch/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/batch/v1"

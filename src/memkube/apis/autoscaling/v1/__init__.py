"""Import path of the Go package with the autoscaling/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/autoscaling/v1"

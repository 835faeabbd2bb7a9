"""Import path of the Go package with the autoscaling/v2 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/autoscaling/v2"

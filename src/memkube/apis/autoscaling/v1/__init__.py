"""Go package of the autoscaling/v1 types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/autoscaling/v1"

"""Go package of the autoscaling/v2 types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/autoscaling/v2"

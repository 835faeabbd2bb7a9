"""The kinds of the API group and version autoscaling/v2."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/autoscaling/v2"

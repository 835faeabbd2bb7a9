"""Go package of the resource/v1 types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/resource/v1"

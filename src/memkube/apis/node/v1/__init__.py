"""Go package of the node/v1 types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/node/v1"

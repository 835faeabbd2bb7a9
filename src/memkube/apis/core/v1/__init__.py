"""Go package of the core/v1 types, and the packages of the core/v1 kinds."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/core/v1"

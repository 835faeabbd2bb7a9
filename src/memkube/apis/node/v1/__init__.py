"""The kinds of the API group and version node/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/node/v1"

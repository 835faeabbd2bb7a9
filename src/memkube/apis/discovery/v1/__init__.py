"""The kinds of the API group and version discovery/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/discovery/v1"

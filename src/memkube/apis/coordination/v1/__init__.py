"""The kinds of the API group and version coordination/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/coordination/v1"

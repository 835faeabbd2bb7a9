"""The kinds of the API group and version authorization/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/authorization/v1"

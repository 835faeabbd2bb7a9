"""The kinds of the API group and version networking/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/networking/v1"

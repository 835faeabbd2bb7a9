"""The kinds of the API group and version storage/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/storage/v1"

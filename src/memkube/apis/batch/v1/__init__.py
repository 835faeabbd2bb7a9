"""The kinds of the API group and version batch/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/batch/v1"

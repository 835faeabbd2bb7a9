"""The kinds of core/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/core/v1"

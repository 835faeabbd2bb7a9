"""The kinds of the API group and version resource/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/resource/v1"

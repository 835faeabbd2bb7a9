"""The kinds of the API group and version flowcontrol/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/flowcontrol/v1"

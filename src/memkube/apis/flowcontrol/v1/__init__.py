"""The kinds of flowcontrol/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/flowcontrol/v1"

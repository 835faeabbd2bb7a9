"""The kinds of the API group and version policy/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/policy/v1"

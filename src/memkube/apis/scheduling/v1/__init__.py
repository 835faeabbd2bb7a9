"""The kinds of the API group and version scheduling/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/scheduling/v1"

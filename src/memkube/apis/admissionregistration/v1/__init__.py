"""The kinds of the API group and version admissionregistration/v1."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/admissionregistration/v1"

"""Go package of the admissionregistration/v1 types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/admissionregistration/v1"

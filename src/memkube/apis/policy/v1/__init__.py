from typing import Final

GO_PACKAGE: Final = "k8s.io/api/policy/v1"

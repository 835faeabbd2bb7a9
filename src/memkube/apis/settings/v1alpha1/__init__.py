"""Import path of the Go package with the settings/v1alpha1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/api/settings/v1alpha1"

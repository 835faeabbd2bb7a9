"""Import path of the Go package with the apiextensions/v1 API types."""

from typing import Final

GO_PACKAGE: Final = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

from typing import Final

GO_PACKAGE: Final = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

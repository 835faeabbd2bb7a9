from typing import Final

GO_PACKAGE: Final = "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

"""Protobuf request bodies that kubectl 1.33 sent, with the command that sent them."""

from base64 import b64decode
from typing import Final


def _body(*lines: str) -> bytes:
    return b64decode("".join(lines))


CREATE_NAMESPACE: Final = _body("azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhkKEQoBeBIAGgAiACoAMgA4AEIAEgAaAgoAGgAiAA==")
"""``kubectl create namespace x``"""

CREATE_CONFIG_MAP: Final = _body(
    "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEjcKGAoIc2V0dGluZ3MSABoAIgAqADIAOABCABIGCgFhEgFiGhMKB2Jpbi5kYXQSCP8AYmlu",
    "YXJ5GgAiAA==",
)
"""``kubectl create configmap settings --from-literal=a=b --from-file=bin.dat``"""

CREATE_SECRET: Final = _body("azhzAAoMCgJ2MRIGU2VjcmV0EioKEQoBcxIAGgAiACoAMgA4AEIAEgYKAXASAXEaDWV4YW1wbGUuY29tL3QaACIA")
"""``kubectl create secret generic s --from-literal=p=q --type=example.com/t``"""

CREATE_SERVICE_ACCOUNT: Final = _body("azhzAAoUCgJ2MRIOU2VydmljZUFjY291bnQSFAoSCgJzYRIAGgAiACoAMgA4AEIAGgAiAA==")
"""``kubectl create serviceaccount sa``"""

CREATE_BUDGET: Final = _body(
    "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSOgoRCgFiEgAaACIAKgAyADgAQgASGQoJCAEQABoDNTAlEgwK",
    "CgoDYXBwEgN3ZWIaCggAGAAgACgAMAAaACIA",
)
"""``kubectl create pdb b --selector=app=web --min-available=50%``"""

DEBUG_NODE: Final = _body(
    "azhzAAoJCgJ2MRIDUG9kEt0BCiYKFm5vZGUtZGVidWdnZXItbjEteDJrdHcSABoAIgAqADIAOABCABKdAQoSCglob3N0LXJvb3QS",
    "BQoDCgEvElMKCGRlYnVnZ2VyEgdidXN5Ym94GgVzbGVlcBoBMSoAQgBKGAoJaG9zdC1yb290EAAaBS9ob3N0IgAyAGoAcgB6AhAB",
    "gAEAiAEAkAEAogEERmlsZRoFTmV2ZXIyAEIASgBSAm4xWAFgAWgBggEAigEAmgEAsgEOCgASBkV4aXN0cxoAIgDCAQAaEwoAGgAi",
    "ACoAMgBKAFoAcgCIAQAaACIA",
)
"""``kubectl debug node/n1 --image=busybox --profile=sysadmin -- sleep 1``"""

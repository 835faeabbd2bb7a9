"""Write the table of Kubernetes' feature gates, from a checkout: ``python tools/feature_gates.py CHECKOUT``.

The table has for each gate that kube-apiserver 1.36 knows its default, and whether it is locked to this default.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

TABLE: Final = Path(__file__).parent.parent / "src/memkube/envtest/feature_gates.json"
_RELEASE: Final = (1, 36)
_COMPATIBLE: Final = (1, 35)
"""Default of ``--min-compatibility-version``, by which some gates choose their default."""
_SOURCES: Final = (
    "pkg/features/kube_features.go",
    "staging/src/k8s.io/apiserver/pkg/features/kube_features.go",
    "staging/src/k8s.io/apiextensions-apiserver/pkg/features/kube_features.go",
    "staging/src/k8s.io/client-go/features/known_features.go",
    "staging/src/k8s.io/component-base/logs/api/v1/kube_features.go",
    "staging/src/k8s.io/component-base/metrics/features/kube_features.go",
    "staging/src/k8s.io/component-base/zpages/features/kube_features.go",
    "staging/src/k8s.io/controller-manager/pkg/features/kube_features.go",
)
_TOGETHER: Final = ("AllAlpha", "AllBeta")
"""Gates that enable groups of other gates. They are off by default."""

_named = re.compile(r'^\s*(\w+)(?:\s+(?:featuregate\.)?Feature)?\s*=\s*"(\w+)"', re.MULTILINE)
_declared = re.compile(r"^\t+((?:\w+\.)?\w+): *\{\n(.*?)^\t+\},", re.DOTALL | re.MULTILINE)
_stage = re.compile(r"\{(Version: [^}]*)\}")
_version = re.compile(r'MustParse\("(\d+)\.(\d+)"\)')


def main() -> None:
    """Write the table for the checkout given as the first argument."""
    checkout = Path(sys.argv[1])
    texts = [(checkout / source).read_text() for source in _SOURCES]
    names = {constant: name for text in texts for constant, name in _named.findall(text)}
    gates = dict.fromkeys(_TOGETHER, (False, False))
    for text in texts:
        for constant, stages in _declared.findall(text):
            found = list(_stages(stages))
            name = names.get(constant.rpartition(".")[2])
            if name is not None and found:
                gates[name] = found[-1]
    table = {
        kind: {name: default for name, (default, locked) in sorted(gates.items()) if locked == wanted}
        for kind, wanted in (("locked", True), ("unlocked", False))
    }
    TABLE.write_text(json.dumps(table, indent=1) + "\n")


def _stages(text: str) -> Iterator[tuple[bool, bool]]:
    """Yield the default and the lock of each stage of a gate that applies to this release."""
    for stage in _stage.findall(re.sub(r"//[^\n]*", "", text)):
        first, *compatible = [(int(major), int(minor)) for major, minor in _version.findall(stage)]
        if first <= _RELEASE and all(version <= _COMPATIBLE for version in compatible):
            yield "Default: true" in stage, "LockToDefault: true" in stage


if __name__ == "__main__":
    main()

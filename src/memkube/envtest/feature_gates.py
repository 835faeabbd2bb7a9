"""Checks of ``--feature-gates``: memkube serves only the default of each feature gate of Kubernetes 1.36."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_TABLE: Final = Path(__file__).with_name("feature_gates.json")
_VALUES: Final = {"1": True, "t": True, "true": True, "0": False, "f": False, "false": False}
_COMPONENT: Final = "kube"


def gate_errors(given: Iterable[str]) -> list[str]:
    """Return error messages for `given`, the values of ``--feature-gates``.

    Each value is a comma-separated list of ``NAME=true`` or ``kube:NAME=true``. A gate must be known and be set to its
    default. If Kubernetes allows changing the default of a gate and memkube does not, the message is memkube's own. All
    other messages are those of Kubernetes.
    """
    table = json.loads(_TABLE.read_text())
    errors = []
    for gate in (gate for value in given for gate in value.split(",") if gate):
        component, colon, named = gate.rpartition(":")
        name, equals, text = named.partition("=")
        name, value = name.strip(), _VALUES.get(text.strip().lower())
        if colon and component != _COMPONENT:
            errors.append(f"component not registered: {component}")
        elif not equals:
            errors.append(f"missing bool value for {name}")
        elif value is None:
            parsing = f'strconv.ParseBool: parsing "{text}": invalid syntax'
            errors.append(f"invalid value of {name}={text}, err: {parsing}")
        elif name in table["locked"] and value != table["locked"][name]:
            locked = f"feature is locked to {_go(table['locked'][name])}"
            errors.append(f"cannot set feature gate {name} to {_go(value)}, {locked}")
        elif name in table["unlocked"] and value != table["unlocked"][name]:
            errors.append(f"memkube does not support the feature gate {name}={_go(value)}; it has the defaults of 1.36")
        elif name not in table["locked"] and name not in table["unlocked"]:
            errors.append(f"unrecognized feature gate: {name}")
    return errors


def _go(value: bool) -> str:
    return "true" if value else "false"

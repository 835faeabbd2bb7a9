from memkube.apimachinery.ip_addresses import cidr_warnings
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.time import Time
from memkube.apis.networking.v1.networkpolicies.types import NetworkPolicy
from memkube.apis.networking.v1.networkpolicies.validation import (
    ip_blocks,
    validate_network_policy,
    validate_network_policy_update,
)
from memkube.registry.declarations.strategy import Strategy


class NetworkPolicyStrategy(Strategy[NetworkPolicy]):
    """Defaults, validation and warnings for NetworkPolicies; a change of the spec increments the generation.

    Sources: ``pkg/registry/networking/networkpolicy/strategy.go``, and for defaults ``pkg/apis/networking/v1``.
    """

    validate = staticmethod(validate_network_policy)
    validate_update = staticmethod(validate_network_policy_update)

    def default(self, obj: NetworkPolicy) -> None:
        """Set the defaults of a NetworkPolicy.

        The default protocol of ports is TCP. The default policy types are Ingress, and Egress if there are egress
        rules.
        """
        spec = obj.spec
        for ports in [*(rule.ports for rule in spec.ingress), *(rule.ports for rule in spec.egress)]:
            for port in ports:
                if port.protocol is None:
                    port.protocol = "TCP"
        if not spec.policyTypes:
            spec.policyTypes = ["Ingress", "Egress"] if spec.egress else ["Ingress"]

    def prepare_for_create(self, obj: NetworkPolicy, now: Time) -> list[str]:
        obj.metadata.generation = 1
        return []

    def warnings_on_create(self, obj: NetworkPolicy) -> list[str]:
        """Warn about CIDRs in a NetworkPolicy that are not in canonical form."""
        warnings: list[str] = []
        for path, block in ip_blocks(obj):
            warnings += cidr_warnings(path.child("cidr"), block.cidr)
            for index, text in enumerate(block.except_):
                warnings += cidr_warnings(path.child("except").item(index), text)
        return warnings

    def prepare_for_update(self, new: NetworkPolicy, old: NetworkPolicy) -> None:
        """Increment the generation of a NetworkPolicy if its spec changed.

        As in kube-apiserver, an explicit empty list counts as a change, since the stored object has nil instead.
        """
        if new.spec != old.spec or _has_explicit_empty(new.spec):
            new.metadata.generation = old.metadata.generation + 1

    def warnings_on_update(self, new: NetworkPolicy, old: NetworkPolicy) -> list[str]:
        """Warn about CIDRs in a NetworkPolicy that are not in canonical form, including unchanged CIDRs."""
        return self.warnings_on_create(new)


def _has_explicit_empty(value: object) -> bool:
    """True if a list or map in a NetworkPolicy is empty but not nil.

    kube-apiserver's ``reflect.DeepEqual`` distinguishes empty from nil.
    """
    if isinstance(value, ApiModel):
        items = ((getattr(value, name), name in value.model_fields_set) for name in type(value).model_fields)
        return any((item in ([], {}) and written) or _has_explicit_empty(item) for item, written in items)
    return isinstance(value, list) and any(map(_has_explicit_empty, value))

"""What ConfigMaps add to the generic verbs: their validation."""

from memkube.apimachinery.field_errors import FieldError
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.apis.core.v1.configmaps.validation import validate_config_map, validate_config_map_update
from memkube.registry.strategy import Strategy


class ConfigMapStrategy(Strategy[ConfigMap]):
    """Source: ``pkg/registry/core/configmap/strategy.go``."""

    def validate(self, obj: ConfigMap) -> list[FieldError]:
        """See Strategy."""
        return validate_config_map(obj)

    def validate_update(self, new: ConfigMap, old: ConfigMap) -> list[FieldError]:
        """See Strategy."""
        return validate_config_map_update(new, old)

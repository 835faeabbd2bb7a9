"""Maps in the order in which Go writes them, for messages that show a whole object."""

from typing import Any

from memkube.apimachinery.schema import ListSchema, MapSchema, Schema, StructSchema


def with_sorted_maps(schema: Schema, value: Any) -> Any:
    """A value whose maps have sorted keys; the fields of structs stay in their order, and raw values as they are."""
    if isinstance(value, dict) and isinstance(schema, MapSchema):
        return {key: with_sorted_maps(schema.values, value[key]) for key in sorted(value)}
    if isinstance(value, dict) and isinstance(schema, StructSchema):
        fields = schema.fields
        return {key: with_sorted_maps(fields[key].schema, v) if key in fields else v for key, v in value.items()}
    if isinstance(value, list) and isinstance(schema, ListSchema):
        return [with_sorted_maps(schema.items, item) for item in value]
    return value

"""What CEL's own operators and functions do (cel-go's ``common/types`` and ``common/stdlib``)."""

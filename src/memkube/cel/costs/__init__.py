"""Cost of an expression, estimated before evaluation and counted during evaluation, in cel-go's units."""

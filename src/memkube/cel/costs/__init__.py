"""Costs of expressions in cel-go's units: estimated before evaluation, and counted during evaluation."""

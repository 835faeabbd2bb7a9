"""What evaluating an expression can cost, before it is evaluated; in the units of cel-go."""

"""LimitRanges: bounds and defaults for what the objects of a namespace ask for."""

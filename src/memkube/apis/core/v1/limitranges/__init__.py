"""LimitRanges: limits and defaults for resource requests in a namespace."""

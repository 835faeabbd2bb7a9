"""APIServices: the API server (memkube or an aggregated one) that serves an API group and version."""

"""Code that workload controllers share: pods, their owners, and ownership by selector."""

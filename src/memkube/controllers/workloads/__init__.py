"""Code that the controllers of workloads share: pods, owners, and the adoption of objects by selector."""

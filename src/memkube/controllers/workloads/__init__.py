"""What the controllers of workloads share: pods and their owners, and who belongs to whom."""

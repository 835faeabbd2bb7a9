"""What clients reach of simulated containers: logs, processes and ports."""

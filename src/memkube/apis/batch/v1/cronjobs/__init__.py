"""CronJobs: create jobs on a schedule."""

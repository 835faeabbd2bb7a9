"""CronJobs: jobs on a schedule."""

"""CronJobs: jobs at given times."""

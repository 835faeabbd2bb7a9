"""Creates the Jobs of CronJobs at their scheduled times, and deletes old finished Jobs (``pkg/controller/cronjob``)."""

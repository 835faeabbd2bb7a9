"""Creates Jobs on schedules (``pkg/controller/cronjob``)."""

"""CSIDrivers: what drivers of volumes can do."""

"""DeviceClasses: named selections of devices."""

"""DeviceClasses: sorts of devices."""

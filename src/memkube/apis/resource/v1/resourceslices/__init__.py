"""ResourceSlices: devices that a driver offers."""

"""ResourceSlices: devices that there are."""

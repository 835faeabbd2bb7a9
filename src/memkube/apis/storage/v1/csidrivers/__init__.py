"""CSIDrivers: capabilities of CSI volume drivers."""

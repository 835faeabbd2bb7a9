"""ResourceClaims: devices that are asked for."""

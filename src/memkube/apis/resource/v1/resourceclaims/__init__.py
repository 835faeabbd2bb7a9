"""ResourceClaims: requests for devices."""

"""IPAddresses: allocated cluster IPs of services."""

"""IPAddresses: which addresses of services are taken."""

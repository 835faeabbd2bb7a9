"""What a server accepts in a pod spec, but warns about (``pkg/api/pod/warnings.go``)."""

"""IngressClasses: who implements ingresses."""

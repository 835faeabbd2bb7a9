"""IngressClasses: the controllers that implement ingresses."""

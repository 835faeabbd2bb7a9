"""The flags of kube-apiserver 1.36 (``cmd/kube-apiserver/app/options``): which memkube supports, ignores or refuses.

Only flags that have an effect in memkube have a description. A flag is ignored only if clients cannot see its effect.
"""

from typing import Final

from memkube.envtest.flags import Flag, flags_of

_SERVED: Final = (
    Flag("advertise-address", "ip", "address of the server in the endpoints of the Service kubernetes"),
    Flag("allow-privileged", "bool", "allow privileged containers", only="true"),
    Flag("anonymous-auth", "bool", "accept requests without credentials, as system:anonymous (default true)"),
    Flag("api-audiences", "strings", "audiences of service account tokens for this server; by default the issuers"),
    Flag("audit-log-format", "string", "json or legacy (default json)"),
    Flag("audit-log-maxage", "int", "days after which renamed files are deleted; 0 for never (default 366)"),
    Flag("audit-log-maxbackup", "int", "maximum number of renamed files; 0 for no limit (default 100)"),
    Flag("audit-log-maxsize", "int", "megabytes after which the file is renamed; 0 for never (default 100)"),
    Flag("audit-log-path", "string", "file of the audit log, which needs a policy; - for standard output"),
    Flag("audit-policy-file", "string", "policy of the audit log"),
    Flag("audit-webhook-batch-buffer-size", "int", "maximum number of audit events that wait (default 10000)"),
    Flag("audit-webhook-batch-max-size", "int", "maximum number of audit events in one request (default 400)"),
    Flag("audit-webhook-batch-max-wait", "duration", "time after which audit events are sent (default 30s)"),
    Flag("audit-webhook-config-file", "string", "kubeconfig of a webhook that gets the audit events"),
    Flag("audit-webhook-initial-backoff", "duration", "time to wait before the first retry (default 10s)"),
    Flag("authentication-config", "string", "AuthenticationConfiguration with providers of OpenID Connect"),
    Flag("authentication-token-webhook-cache-ttl", "duration", "time to remember its answers (default 2m0s)"),
    Flag("authentication-token-webhook-config-file", "string", "kubeconfig of a webhook that authenticates tokens"),
    Flag("authentication-token-webhook-version", "string", "version of TokenReviews (default v1beta1)"),
    Flag("authorization-config", "string", "AuthorizationConfiguration with the authorizers in their order"),
    Flag("authorization-mode", "strings", "modes of authorization: AlwaysAllow, AlwaysDeny, Node, RBAC, Webhook"),
    Flag("authorization-webhook-cache-authorized-ttl", "duration", "time to remember allowed requests (default 5m0s)"),
    Flag("authorization-webhook-cache-unauthorized-ttl", "duration", "time to remember refused requests (default 30s)"),
    Flag("authorization-webhook-config-file", "string", "kubeconfig of the webhook of the mode Webhook"),
    Flag("authorization-webhook-version", "string", "version of SubjectAccessReviews (default v1beta1)"),
    Flag("bind-address", "ip", "address to listen on (default 0.0.0.0)"),
    Flag("cert-dir", "string", "folder of apiserver.crt and apiserver.key, which are made if missing"),
    Flag("client-ca-file", "string", "certificates of the authorities that sign client certificates, in PEM"),
    Flag("cors-allowed-origins", "strings", "patterns of origins whose pages may use the server"),
    Flag("disable-admission-plugins", "strings", "admission plugins to disable"),
    Flag("enable-admission-plugins", "strings", "admission plugins to enable"),
    Flag("enable-bootstrap-token-auth", "bool", "accept bootstrap tokens"),
    Flag("etcd-servers", "strings", "required, and ignored: objects are kept in memory"),
    Flag("feature-gates", "stringArray", "feature gates of Kubernetes 1.36, with their defaults"),
    Flag("help", "bool", "show this help"),
    Flag("max-mutating-requests-inflight", "int", "maximum number of concurrent writes; 0 for no limit (default 200)"),
    Flag("max-requests-inflight", "int", "maximum number of concurrent reads; 0 for no limit (default 400)"),
    Flag("oidc-ca-file", "string", "certificates that verify the provider of OpenID Connect, in PEM"),
    Flag("oidc-client-id", "string", "audience of the provider's tokens"),
    Flag("oidc-groups-claim", "string", "claim with the groups of the user"),
    Flag("oidc-groups-prefix", "string", "prefix of groups"),
    Flag("oidc-issuer-url", "string", "URL of a provider of OpenID Connect"),
    Flag("oidc-required-claim", "mapStringString", "claims that tokens must have: CLAIM=VALUE"),
    Flag("oidc-signing-algs", "strings", "algorithms of signatures (default RS256)"),
    Flag("oidc-username-claim", "string", "claim with the name of the user (default sub)"),
    Flag("oidc-username-prefix", "string", "prefix of user names; - for none"),
    Flag("proxy-client-cert-file", "string", "accepted, and named on stderr: calls are made without this certificate"),
    Flag("proxy-client-key-file", "string", "the private key of this certificate"),
    Flag("request-timeout", "duration", "time after which a request is ended, except watches (default 1m0s)"),
    Flag("requestheader-allowed-names", "strings", "common names of authenticating proxies' certificates"),
    Flag("requestheader-client-ca-file", "string", "certificates of the authorities that sign those of proxies"),
    Flag("requestheader-extra-headers-prefix", "strings", "prefixes of headers with extra values of the user"),
    Flag("requestheader-group-headers", "strings", "headers with groups of the user"),
    Flag("requestheader-uid-headers", "strings", "headers with the uid of the user"),
    Flag("requestheader-username-headers", "strings", "headers with the name of the user"),
    Flag("runtime-config", "stringArray", "versions of API groups to serve, if memkube serves them anyway"),
    Flag("secure-port", "int", "port to listen on, with TLS (default 6443)"),
    Flag("service-account-extend-token-expiration", "bool", "extend the lifetime of tokens in pods (default true)"),
    Flag("service-account-issuer", "stringArray", "issuers of service account tokens; new tokens have the first"),
    Flag("service-account-jwks-uri", "string", "URL at which the keys of service account tokens are published"),
    Flag("service-account-key-file", "stringArray", "keys or certificates that verify service account tokens, in PEM"),
    Flag("service-account-max-token-expiration", "duration", "maximum lifetime of service account tokens"),
    Flag("service-account-signing-key-file", "string", "private key that signs service account tokens, in PEM"),
    Flag("service-cluster-ip-range", "string", "IPv4 range of cluster IPs (default 10.0.0.0/24)"),
    Flag("shutdown-delay-duration", "duration", "time to continue to serve after SIGTERM (default 0s)"),
    Flag("shutdown-send-retry-after", "bool", "answer new requests with 429 during the shutdown"),
    Flag("tls-cert-file", "string", "certificate of the server, in PEM, instead of the one in --cert-dir"),
    Flag("tls-private-key-file", "string", "private key of this certificate, in PEM"),
    Flag("tls-sni-cert-key", "stringArray", "certificate and key for some host names: CERT,KEY or CERT,KEY:NAME,NAME"),
    Flag("token-auth-file", "string", "CSV file of bearer tokens and their users"),
    Flag("version", "version", "print the version; --version=vX.Y.Z-SUFFIX sets the version that /version tells"),
)

_ONE_VALUE: Final = (
    Flag("aggregator-reject-forwarding-redirect", "bool", only="true"),
    Flag("audit-log-compress", "bool", only="false"),
    Flag("audit-log-truncate-enabled", "bool", only="false"),
    Flag("audit-log-version", "string", only="audit.k8s.io/v1"),
    Flag("audit-webhook-mode", "string", only="batch"),
    Flag("audit-webhook-truncate-enabled", "bool", only="false"),
    Flag("audit-webhook-version", "string", only="audit.k8s.io/v1"),
    Flag("default-not-ready-toleration-seconds", "int", only="300"),
    Flag("default-unreachable-toleration-seconds", "int", only="300"),
    Flag("emulated-version", "strings", only="1.36"),
    Flag("enable-garbage-collector", "bool", only="true"),
    Flag("event-ttl", "duration", only="1h0m0s"),
    Flag("kubernetes-service-node-port", "int", only="0"),
    Flag("max-connection-bytes-per-sec", "int", only="0"),
    Flag("min-compatibility-version", "strings", only="1.35"),
    Flag("service-account-lookup", "bool", only="true"),
    Flag("service-node-port-range", "string", only="30000-32767"),
    Flag("tls-min-version", "string", only="VersionTLS12"),
    # Kubernetes up to 1.23 had these two flags. Old versions of envtest set the port to 0 for all versions of
    # Kubernetes, so the flags are accepted, but not listed in --help.
    Flag("insecure-port", "int", only="0", is_listed=False),
    Flag("insecure-bind-address", "ip", is_listed=False),
)

_REFUSED: Final = (
    Flag("admission-control", "strings", refused="use --enable-admission-plugins"),
    Flag("admission-control-config-file", "string", refused="plugins have no configuration files"),
    Flag("authorization-policy-file", "string", refused="the mode ABAC is not served"),
    Flag("debug-socket-path", "string", refused="there is no profiling"),
    Flag("egress-selector-config-file", "string", refused="calls of webhooks are made directly"),
    Flag("external-hostname", "string", refused="use --service-account-jwks-uri"),
    Flag("service-account-signing-endpoint", "string", refused="use --service-account-signing-key-file"),
    Flag("strict-transport-security-directives", "strings", refused="responses have no HSTS header"),
    Flag("tls-cipher-suites", "strings", refused="OpenSSL's default cipher suites are used"),
    Flag("tls-curve-preferences", "string", refused="OpenSSL's default groups are used"),
    Flag("tracing-config-file", "string", refused="no traces are sent"),
)

_IGNORED: Final = """
allow-metric-labels string, allow-metric-labels-manifest string, audit-log-batch-buffer-size int,
audit-log-batch-max-size int, audit-log-batch-max-wait duration, audit-log-batch-throttle-burst int,
audit-log-batch-throttle-enable bool, audit-log-batch-throttle-qps float, audit-log-mode string,
audit-log-truncate-max-batch-size int, audit-log-truncate-max-event-size int,
audit-webhook-batch-throttle-burst int, audit-webhook-batch-throttle-enable bool,
audit-webhook-batch-throttle-qps float, audit-webhook-truncate-max-batch-size int,
audit-webhook-truncate-max-event-size int,
contention-profiling bool, coordinated-leadership-lease-duration duration,
coordinated-leadership-renew-deadline duration, coordinated-leadership-retry-period duration,
delete-collection-workers int, disable-http2-serving bool, disabled-metrics strings,
emulation-forward-compatible bool, enable-aggregator-routing bool, enable-logs-handler bool,
enable-priority-and-fairness bool, encryption-provider-config string,
encryption-provider-config-automatic-reload bool, endpoint-reconciler-type string, etcd-cafile string,
etcd-certfile string, etcd-compaction-interval duration, etcd-count-metric-poll-period duration,
etcd-db-metric-poll-interval duration, etcd-healthcheck-timeout duration, etcd-keyfile string, etcd-prefix string,
etcd-readycheck-timeout duration, etcd-servers-overrides strings, goaway-chance float,
http2-max-streams-per-connection int, kubelet-certificate-authority string, kubelet-client-certificate string,
kubelet-client-key string, kubelet-preferred-address-types strings, kubelet-timeout duration,
lease-reuse-duration-seconds int, livez-grace-period duration, log-flush-frequency duration,
log-text-info-buffer-size string, log-text-split-stream bool, logging-format string, min-request-timeout int,
peer-advertise-ip string, peer-advertise-port string, peer-ca-file string, permit-address-sharing bool,
permit-port-sharing bool, profiling bool, runtime-config-emulation-forward-compatible bool,
send-retry-after-while-not-ready-once bool, show-hidden-metrics-for-version string,
shutdown-watch-termination-grace-period duration, storage-backend string,
storage-initialization-timeout duration, storage-media-type string, v int, vmodule string, watch-cache bool,
watch-cache-sizes strings
"""
"""Flags that are accepted without effect: about etcd, logs, metrics, HTTP/2, kubelets, and parts that memkube lacks."""

FLAGS: Final = {flag.name: flag for flag in sorted((*_SERVED, *_ONE_VALUE, *_REFUSED, *flags_of(_IGNORED)))}
"""All flags of kube-apiserver, by name."""
SHORTHANDS: Final = {"h": "help", "v": "v"}
ABOUT: Final = """memkube with the flags of kube-apiserver 1.36.

Objects are kept in memory, whatever --etcd-servers names. Other values of flags, and unknown flags, are refused."""

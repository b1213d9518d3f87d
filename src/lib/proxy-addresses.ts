/** What the proxy calls its own application from, by family of addresses: redirection leaves connections from there alone. */
export const deliverySource = { IPv4: '127.0.0.6', IPv6: '::6' } as const;

/** Port of loopback where the agent answers DNS, over UDP and TCP, and where istio-iptables leads queries with DNS_AGENT. */
export const agentDnsPort = 15053;

/** Port of every proxy that answers readiness to the outside. */
export const readinessPort = 15021;
/** Port of every proxy that answers Envoy's own metrics to the outside. */
export const metricsPort = 15090;

/** A server that a proxy reports to: a cluster of the bootstrap. */
export interface CollectorIR {
  readonly name: string;
  /** Host name or IP address. */
  readonly host: string;
  readonly port: number;
  readonly isGrpc: boolean;
}

export interface ReportsIR {
  readonly collectors: readonly CollectorIR[];
  /** Spoken to over UDP; the host is an IP address. */
  readonly statsd: { readonly host: string; readonly port: number } | undefined;
  /** Cluster that statistics are sent to. */
  readonly metricsService: string | undefined;
}

/** Who takes the spans of requests. */
export interface TracerIR {
  readonly kind: 'zipkin' | 'datadog' | 'openTelemetry';
  readonly cluster: string;
  /** Of the proxy, in its traces. */
  readonly serviceName: string;
}

/** A request; any status is an answer. */
export interface HttpProbe {
  readonly kind: 'http';
  readonly port: number;
  readonly isTls: boolean;
  /** With its leading slash, and its query. */
  readonly path: string;
  /** What the request names as its host; undefined: the host that the caller named. */
  readonly host: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Of the proxy: no redirect leads there. */
  readonly reservedPorts: ReadonlySet<number>;
}

/** A connection; that it is taken is the answer. */
export interface TcpProbe {
  readonly kind: 'tcp';
  readonly port: number;
}

/** A call of grpc.health.v1.Health/Check, in plain text as the kubelet's is. */
export interface GrpcProbe {
  readonly kind: 'grpc';
  readonly port: number;
  readonly service: string;
}

/** How an application is asked for one of its probes. */
export interface AppProbe {
  readonly action: HttpProbe | TcpProbe | GrpcProbe;
  readonly timeoutMs: number;
}

/** Path on the status port to the probe behind it. */
export type AppProbes = ReadonlyMap<string, AppProbe>;

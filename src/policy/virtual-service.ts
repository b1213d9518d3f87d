import type { MeshObject } from './object.ts';

/** At most one field is set; none of them: present. */
export interface StringMatch {
  readonly exact?: string;
  readonly prefix?: string;
  /** RE2, for the whole text. */
  readonly regex?: string;
}

export interface Destination {
  readonly host: string;
  readonly subset?: string;
  readonly port?: { readonly number: number };
}

export interface HeaderOperations {
  readonly set?: Readonly<Record<string, string>>;
  readonly add?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

export interface Headers {
  readonly request?: HeaderOperations;
  readonly response?: HeaderOperations;
}

export interface WeightedDestination {
  readonly destination: Destination;
  /** Relative to the others. */
  readonly weight?: number;
  readonly headers?: Headers;
}

export interface HttpMatch {
  readonly name?: string;
  readonly uri?: StringMatch;
  readonly scheme?: StringMatch;
  readonly method?: StringMatch;
  readonly authority?: StringMatch;
  readonly headers?: Readonly<Record<string, StringMatch>>;
  readonly withoutHeaders?: Readonly<Record<string, StringMatch>>;
  readonly queryParams?: Readonly<Record<string, StringMatch>>;
  readonly port?: number;
  readonly ignoreUriCase?: boolean;
  readonly sourceLabels?: Readonly<Record<string, string>>;
  readonly sourceNamespace?: string;
  readonly gateways?: readonly string[];
  readonly statPrefix?: string;
}

export interface HttpRedirect {
  readonly uri?: string;
  readonly authority?: string;
  readonly port?: number;
  readonly derivePort?: 'FROM_PROTOCOL_DEFAULT' | 'FROM_REQUEST_PORT';
  readonly scheme?: string;
  readonly redirectCode?: number;
}

export interface HttpRetry {
  readonly attempts?: number;
  readonly perTryTimeout?: string;
  readonly retryOn?: string;
  readonly retryRemoteLocalities?: boolean;
  readonly retryIgnorePreviousHosts?: boolean;
  readonly backoff?: string;
}

/** Percent, with fractions. */
export interface Percentage {
  readonly value?: number;
}

export interface HttpFault {
  readonly delay?: { readonly percentage?: Percentage; readonly percent?: number; readonly fixedDelay: string };
  readonly abort?: {
    readonly percentage?: Percentage;
    readonly percent?: number;
    readonly httpStatus?: number;
    readonly grpcStatus?: string;
  };
}

export interface CorsPolicy {
  readonly allowOrigin?: readonly string[];
  readonly allowOrigins?: readonly StringMatch[];
  readonly allowMethods?: readonly string[];
  readonly allowHeaders?: readonly string[];
  readonly exposeHeaders?: readonly string[];
  readonly maxAge?: string;
  readonly allowCredentials?: boolean;
  readonly unmatchedPreflights?: 'UNSPECIFIED' | 'FORWARD' | 'IGNORE';
}

export interface HttpRoute {
  readonly name?: string;
  readonly match?: readonly HttpMatch[];
  readonly route?: readonly WeightedDestination[];
  readonly redirect?: HttpRedirect;
  readonly directResponse?: {
    readonly status: number;
    readonly body?: { readonly string?: string; readonly bytes?: string };
  };
  readonly delegate?: { readonly name: string; readonly namespace?: string };
  readonly rewrite?: {
    readonly uri?: string;
    readonly authority?: string;
    readonly uriRegexRewrite?: { readonly match: string; readonly rewrite: string };
  };
  readonly timeout?: string;
  readonly retries?: HttpRetry;
  readonly fault?: HttpFault;
  readonly mirror?: Destination;
  readonly mirrorPercentage?: Percentage;
  readonly mirrorPercent?: number;
  readonly mirror_percent?: number;
  readonly mirrors?: readonly { readonly destination: Destination; readonly percentage?: Percentage }[];
  readonly corsPolicy?: CorsPolicy;
  readonly headers?: Headers;
}

/** Conditions on connections; all that are set must hold. */
export interface ConnectionMatch {
  readonly destinationSubnets?: readonly string[];
  readonly port?: number;
  readonly sourceSubnet?: string;
  readonly sourceLabels?: Readonly<Record<string, string>>;
  readonly sourceNamespace?: string;
  readonly gateways?: readonly string[];
}

export interface TlsRoute {
  readonly match: readonly (ConnectionMatch & { readonly sniHosts: readonly string[] })[];
  /** Empty only where all connections are closed. */
  readonly route: readonly WeightedDestination[];
  /** Share of the connections that are closed, of a route that objects of the Gateway API were made into. */
  readonly closedWeight?: number;
}

export interface TcpRoute {
  readonly match?: readonly ConnectionMatch[];
  readonly route: readonly WeightedDestination[];
}

/** How requests to hosts are routed (specification, VirtualService). */
export interface VirtualService extends MeshObject<'VirtualService'> {
  readonly spec: {
    /** Absent in a delegate only. */
    readonly hosts?: readonly string[];
    /** Absent: sidecars (`mesh`). */
    readonly gateways?: readonly string[];
    readonly exportTo?: readonly string[];
    readonly http?: readonly HttpRoute[];
    readonly tls?: readonly TlsRoute[];
    readonly tcp?: readonly TcpRoute[];
  };
}

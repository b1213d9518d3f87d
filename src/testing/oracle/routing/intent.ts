/** How a text is compared: one of the three; none of them is content with any text that is there. */
export interface TextTest {
  readonly exact?: string;
  readonly prefix?: string;
  readonly regex?: string;
}

type TextTests = Readonly<Record<string, TextTest>>;

/** What an entry of `match` asks. */
export interface RouteMatch {
  readonly uri?: TextTest;
  readonly ignoreUriCase?: boolean;
  readonly method?: TextTest;
  readonly headers?: TextTests;
  readonly withoutHeaders?: TextTests;
  readonly queryParams?: TextTests;
  readonly port?: number;
  readonly sourceLabels?: Readonly<Record<string, string>>;
  readonly sourceNamespace?: string;
  readonly gateways?: readonly string[];
}

export interface RouteTarget {
  readonly destination: {
    readonly host: string;
    readonly port?: { readonly number: number };
    readonly subset?: string;
  };
  readonly weight?: number;
}

/** An entry of `http`. */
export interface RouteBlock {
  readonly match?: readonly RouteMatch[];
  readonly route?: readonly RouteTarget[];
  readonly redirect?: { readonly uri: string; readonly redirectCode?: number };
  readonly directResponse?: { readonly status: number };
  readonly rewrite?: { readonly uri?: string; readonly authority?: string };
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly creationTimestamp?: string };
}

/** A VirtualService as a test writes it. */
export interface RoutePolicy extends Named {
  readonly kind: 'VirtualService';
  readonly spec: {
    readonly hosts: readonly string[];
    readonly gateways?: readonly string[];
    readonly exportTo?: readonly string[];
    readonly http: readonly RouteBlock[];
  };
}

export interface GatewayServer {
  readonly port: { readonly number: number; readonly name: string; readonly protocol: 'HTTP' };
  /** With the namespace of the routes that it takes, or without one. */
  readonly hosts: readonly string[];
}

/** A Gateway as a test writes it. */
export interface GatewayPolicy extends Named {
  readonly kind: 'Gateway';
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly servers: readonly GatewayServer[];
  };
}

/** A Sidecar as a test writes it. */
export interface ScopePolicy extends Named {
  readonly kind: 'Sidecar';
  readonly spec: {
    readonly workloadSelector?: { readonly labels: Readonly<Record<string, string>> };
    readonly egress?: readonly { readonly hosts: readonly string[] }[];
  };
}

/** What decides where requests of a mesh go. */
export interface RouteIntents {
  readonly routes: readonly RoutePolicy[];
  readonly gateways: readonly GatewayPolicy[];
  readonly scopes: readonly ScopePolicy[];
}

/** Oldest first; those of one age, or of none, by name and namespace. */
export function oldestFirst<T extends Named>(all: readonly T[]): readonly T[] {
  const key = ({ metadata }: Named): string =>
    `${metadata.creationTimestamp ?? 'not yet'} ${metadata.name}.${metadata.namespace}`;
  return [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Whether a namespace sees an object; without `exportTo` every namespace does. */
export function isExported({ metadata, spec }: RoutePolicy, to: string): boolean {
  return (spec.exportTo ?? ['*']).some((entry) => {
    return entry === '*' || entry === to || (entry === '.' && metadata.namespace === to);
  });
}

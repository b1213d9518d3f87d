import type { MeshFile } from '../contracts/mesh-file.ts';
import type { OriginsFile } from '../contracts/origins-file.ts';
import type { MeshSnapshot } from './snapshot.ts';

/** A message of Envoy's API as JSON, fields by their names in the API (`route_config_name`). */
export type Message = Readonly<Record<string, unknown>>;

/** What every function of texts tells. */
interface Told {
  /** Errors, warnings and information, sorted by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many texts were given: the summary of the text form says it. */
  readonly fileCount: number;
}

/** What `analyse` gives. */
export interface AnalyseResult extends Told {
  /** Undefined when a diagnostic is an error. */
  readonly snapshot: MeshSnapshot | undefined;
}

/** What `compile` gives. */
export interface CompileResult extends Told {
  /** A configuration for each proxy, sorted by namespace and name; undefined when a diagnostic is an error. */
  readonly proxies: readonly ProxyConfiguration[] | undefined;
  /** The content of `mesh.json`; undefined as `proxies` is. */
  readonly mesh: MeshFile | undefined;
}

/** The configuration of one proxy, which `meshpol compile` writes to one folder. */
export interface ProxyConfiguration {
  readonly namespace: string;
  readonly workload: string;
  /** `envoy.config.bootstrap.v3.Bootstrap`. */
  readonly bootstrap: Message;
  /** `envoy.config.listener.v3.Listener`. */
  readonly listeners: readonly Message[];
  /** `envoy.config.cluster.v3.Cluster`. */
  readonly clusters: readonly Message[];
  /** `envoy.config.route.v3.RouteConfiguration`. */
  readonly routes: readonly Message[];
  /** `envoy.config.endpoint.v3.ClusterLoadAssignment`, with `delivery: 'ads'`; else none, for the clusters hold them. */
  readonly endpoints: readonly Message[];
  /** The content of `origins.json`: for each fragment of a resource the field that decided it, and where that stands. */
  readonly origins: OriginsFile;
}

/** One mistake or remark. */
export interface Diagnostic {
  /** Stays the same between releases; the page on diagnostics lists all. */
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  /** Undefined for what stands in no text. */
  readonly place: Place | undefined;
  /** What to do. */
  readonly hint: string | undefined;
  readonly related: readonly { readonly message: string; readonly place: Place }[];
}

/** Where something stands; lines and columns count from 1, columns in UTF-16 units. */
export interface Place {
  /** The `path` of the text. */
  readonly file: string;
  readonly start: Position;
  /** The end, exclusive. */
  readonly end: Position;
  /** The first line; undefined where it may hold a secret. */
  readonly lineText: string | undefined;
  /** It stands in a Secret, or at a key. */
  readonly isSecret: boolean;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

import type { FragmentFields } from '../../contracts/origins-file.ts';
import type { ElectionState } from '../../kubernetes/election.ts';
import type { MissingRows } from '../../live/missing-rows.ts';
import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { RegistryFigures, RegistryRevision } from '../registry/registry.ts';

/** Counts up when a reader of the form before would misread an answer. */
export const debugFormat = 1;

/** What a proxy has of one type of resource. */
export interface TypeAtProxy {
  /** Resources that it is to have now. */
  readonly resources: number;
  /** Digest of what it is to have now, and of what it has acknowledged; equal digests are equal content on every replica. */
  readonly current: string;
  readonly acknowledged: string | undefined;
}

/** One stream of a proxy. */
export interface ProxyRow {
  /** `<namespace>/<name>` */
  readonly proxy: string;
  /** SPIFFE ID of its certificate. */
  readonly identity: string;
  /** Empty where the client does not tell it. */
  readonly envoyVersion: string;
  /** Unix milliseconds. */
  readonly connectedAt: number;
  readonly types: Readonly<Partial<Record<ConfigurationList, TypeAtProxy>>>;
  /** It has acknowledged all that it is to have of the types that it asks for. */
  readonly isInStep: boolean;
  /** Resources that it refuses even if they are sent alone, and the message of its last NACK. */
  readonly refused: readonly string[];
  readonly message: string | undefined;
  /** It refuses every response. */
  readonly isFaulty: boolean;
  /** It keeps older policies, because an object that may concern it is invalid. */
  readonly isFrozen: boolean;
}

/** `/debug/syncz`: one row a stream. */
export interface ProxiesAnswer {
  readonly format: typeof debugFormat;
  readonly proxies: readonly ProxyRow[];
}

/** `/debug/status` */
export interface StatusAnswer {
  readonly format: typeof debugFormat;
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Why it does not serve; undefined: it does. */
  readonly notReady: string | undefined;
  /** Proxies that the mesh has, and streams that are open. */
  readonly known: number;
  readonly connected: number;
  readonly inStep: number;
  readonly faulty: number;
  readonly frozen: number;
  /** Proxies whose changed configuration waits for its turn. */
  readonly waiting: number;
  /** Time and text of the last errors of the inputs, while they have any. */
  readonly refusedInputs: { readonly at: number; readonly text: string } | undefined;
  /** Absent: nothing is compiled yet. */
  readonly missing?: MissingRows | undefined;
  readonly registry: readonly RegistryFigures[];
  /** State of the election; undefined: the objects are files. */
  readonly election: ElectionState | undefined;
  /** The revision of git; absent without git. */
  readonly revision?: RegistryRevision | undefined;
}

/** An invalid object. */
export interface FaultRow {
  /** `<kind>/<namespace>/<name>`, where it is known. */
  readonly object: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** Whether its last valid version is active. */
  readonly isHeld: boolean;
  readonly errors: readonly string[];
}

/** `/debug/why`: what decided the configuration of a proxy. */
export interface WhyAnswer {
  readonly format: typeof debugFormat;
  readonly proxy: string;
  /** Full id of the commit that the inputs are of; absent: they are of none. */
  readonly commit?: string | undefined;
  /** `frozen`: it has older policies; `denying`: it refuses every connection; both because of the faults. */
  readonly state: 'current' | 'frozen' | 'denying';
  readonly faults: readonly FaultRow[];
  /** Those that decided something of its configuration; absent: none, or it has an older configuration. */
  readonly missing?: MissingRows;
  readonly resources: readonly {
    readonly list: ConfigurationList;
    readonly name: string;
    readonly fragments: readonly FragmentFields[];
  }[];
}

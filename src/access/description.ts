import type { DecidingField } from '../contracts/origins-file.ts';
import type { WorkloadName } from './world.ts';

/** Something in force, the fields that decided it, and those that said something else and lost. Both are empty for a default. */
export interface InForce {
  readonly decidedBy: readonly DecidingField[];
  readonly overrode: readonly DecidingField[];
}

/** What policies say about one workload, and who gets in. */
export interface WorkloadDescription {
  readonly workload: WorkloadName;
  /** Of the object that describes it: `Pod`, say. */
  readonly kind: string;
  readonly role: 'sidecar' | 'router' | 'none';
  /** SPIFFE ID. */
  readonly identity: string;
  readonly addresses: readonly string[];
  readonly entrances: readonly Entrance[];
  /** The last one, without a port, is of all other ports. Empty at gateways, whose servers decide. */
  readonly mtls: readonly MtlsInForce[];
  readonly tokens: readonly TokenInForce[];
  /** In the order in which a request meets them. */
  readonly rules: readonly RuleInForce[];
  readonly routesIn: readonly RouteIn[];
  readonly routesOut: readonly ServiceOut[];
  /** Of services that the workload sees beside `routesOut`: no policy says anything about them. */
  readonly otherServices: number;
  readonly virtualServices: readonly DecidingField[];
}

/** Who is let in at one port. */
export interface Entrance {
  /** Absent: at all ports that are not listed. */
  readonly port?: number;
  /** Of a gateway: names of the TLS handshake; empty for all. */
  readonly serverNames: readonly string[];
  /** Service ports that lead here: `httpbin.foo.svc.cluster.local:8000`. */
  readonly services: readonly string[];
  /** One sentence for each kind of traffic that is treated in its own way. */
  readonly letsIn: readonly string[];
}

export interface MtlsInForce extends InForce {
  readonly port?: number;
  readonly mode: 'DISABLE' | 'PERMISSIVE' | 'STRICT';
}

/** Tokens of one issuer. */
export interface TokenInForce {
  readonly issuer: string;
  /** Empty: any. */
  readonly audiences: readonly string[];
  /** Where a request may carry it, in words. */
  readonly locations: readonly string[];
  readonly decidedBy: DecidingField;
}

/** One access rule, or a policy without any. */
export interface RuleInForce {
  readonly action: 'ALLOW' | 'DENY' | 'AUDIT' | 'CUSTOM';
  /** Name of the external authorizer of a CUSTOM policy. */
  readonly authorizer?: string;
  /** Only counted and logged. */
  readonly isDryRun: boolean;
  /** What the rule asks, one part a line; empty for a policy without rules. */
  readonly words: readonly string[];
  /** Envoy's name of the rule, as the log has it; absent without a rule. */
  readonly name?: string;
  readonly decidedBy: DecidingField;
}

/** Where requests that arrive are sent. */
export interface RouteIn extends InForce {
  /** What is matched, in words. */
  readonly match: string;
  /** What happens to it, in words. */
  readonly action: string;
}

/** A service about whose traffic a policy says something. */
export interface ServiceOut {
  readonly host: string;
  readonly settings: readonly TrafficSetting[];
}

export interface TrafficSetting extends InForce {
  /** Empty: the service as a whole. */
  readonly subset: string;
  readonly port: number;
  /** Fields of a DestinationRule's `trafficPolicy`. */
  readonly traffic: Readonly<Record<string, unknown>>;
}

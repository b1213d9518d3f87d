import type { MeshFile } from '../contracts/mesh-file.ts';
import type { DecidingField } from '../contracts/origins-file.ts';

/**
 * A mesh and the policies in force in it, before anything is said in Envoy's form. Objects that answers name are the
 * ones of `objects`, so that they may be compared with `===`.
 */
export interface MeshSnapshot {
  /** Counts up when a reader of the form before would misread this one. */
  readonly format: 1;
  /** The namespace whose policies hold for the whole mesh. */
  readonly rootNamespace: RootNamespace;
  /** Who there is: workloads, services, endpoints, as in `mesh.json`. */
  readonly mesh: MeshFile;
  /** In the order of the texts. */
  readonly objects: readonly SnapshotObject[];
  /** What a workload accepts, and of whom; undefined for a workload that the mesh has not. */
  inbound(workload: WorkloadName): InboundPolicies | undefined;
  /** What a workload does towards each service that it sees, oldest service first; undefined as with `inbound`. */
  outbound(workload: WorkloadName): OutboundPolicies | undefined;
}

export interface RootNamespace {
  readonly name: string;
  /** Settings or objects have named it; false for the default. */
  readonly isDecided: boolean;
  readonly why: string;
}

export interface WorkloadName {
  readonly namespace: string;
  readonly name: string;
}

/** One object of the texts. */
export interface SnapshotObject {
  readonly kind: string;
  /** `default` when the object names none; empty for a Namespace and a Node. */
  readonly namespace: string;
  readonly name: string;
  /** The `path` of the text, and where the object begins in it; both numbers count from 1. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Its fields, under this project's names for what has several; undefined for a Secret, so that a snapshot may be printed. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
}

/** A decision, with the fields that made it and those that said something else and lost; both empty for a built-in default. */
export interface Decision {
  readonly decidedBy: readonly DecidingField[];
  readonly overrode: readonly DecidingField[];
}

/** The form of connections that a server accepts or a client opens: mutual TLS (STRICT), plain text (DISABLE), or either. */
export interface MtlsDecision extends Decision {
  readonly mode: 'DISABLE' | 'PERMISSIVE' | 'STRICT';
}

/** What one workload accepts. Of the lists each policy holds; oldest first. */
export interface InboundPolicies {
  readonly mtls: MtlsDecision;
  /** Container ports that differ; `mtls` holds for all others. */
  readonly ports: readonly (MtlsDecision & { readonly port: number })[];
  readonly requestAuthentications: readonly SnapshotObject[];
  readonly authorizationPolicies: readonly SnapshotObject[];
  /** What it serves as a gateway. */
  readonly gateways: readonly SnapshotObject[];
}

/** What one workload does towards others. */
export interface OutboundPolicies {
  readonly services: readonly ServicePolicies[];
  /** VirtualServices that the workload's namespace sees, oldest first. */
  readonly virtualServices: readonly RoutesInForce[];
}

/** A VirtualService, and those that it takes routes of: each once, in the order of the routes. */
export interface RoutesInForce {
  readonly object: SnapshotObject;
  readonly delegates: readonly SnapshotObject[];
}

/** What a client does towards one service. */
export interface ServicePolicies {
  /** As in `mesh.services`. */
  readonly host: string;
  readonly namespace: string;
  /** What the mesh and the service's namespace say of its mutual TLS: a client that detects it goes by this. */
  readonly serviceMtls: MtlsDecision;
  /** The whole service first, with an empty name; then the subsets by name. */
  readonly subsets: readonly SubsetPolicies[];
}

export interface SubsetPolicies extends Decision {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Every port of the service. */
  readonly ports: readonly PortTraffic[];
}

export interface PortTraffic extends Decision {
  readonly port: number;
  /** The fields in force, as a DestinationRule's `trafficPolicy` has them. */
  readonly traffic: Readonly<Record<string, unknown>>;
}

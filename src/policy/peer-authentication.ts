import type { MeshObject, WorkloadSelector } from './object.ts';

export type MtlsMode = 'UNSET' | 'DISABLE' | 'PERMISSIVE' | 'STRICT';

export interface MutualTls {
  readonly mode?: MtlsMode;
}

/** Mutual TLS that workloads accept (specification, PeerAuthentication). */
export interface PeerAuthentication extends MeshObject<'PeerAuthentication'> {
  readonly spec: {
    readonly selector?: WorkloadSelector;
    readonly mtls?: MutualTls;
    /** Keys are container ports in decimal. */
    readonly portLevelMtls?: Readonly<Record<string, MutualTls>>;
  };
}

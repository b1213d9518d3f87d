import type { MeshObject } from './object.ts';

export type OutboundTrafficPolicyMode = 'ALLOW_ANY' | 'REGISTRY_ONLY';

/** Services that applications of the selected sidecars reach. */
export interface SidecarEgress {
  /** Each as `namespace/host`. */
  readonly hosts: readonly string[];
  readonly port?: SidecarPort;
  /** Address of the listener. */
  readonly bind?: string;
  readonly captureMode?: 'DEFAULT' | 'IPTABLES' | 'NONE';
}

export interface SidecarPort {
  readonly number: number;
  readonly protocol: string;
}

/** A port on which the selected workloads accept connections. */
export interface SidecarIngress {
  readonly port: SidecarPort;
  /** Where the application listens: `127.0.0.1:8080`, `:8080`. */
  readonly defaultEndpoint?: string;
}

/** What sidecars reach as clients, and on which ports they accept connections. It does not hold for gateways. */
export interface Sidecar extends MeshObject<'Sidecar'> {
  readonly spec: {
    readonly workloadSelector?: { readonly labels?: Readonly<Record<string, string>> };
    readonly egress?: readonly SidecarEgress[];
    readonly ingress?: readonly SidecarIngress[];
    readonly outboundTrafficPolicy?: { readonly mode?: OutboundTrafficPolicyMode };
  };
}

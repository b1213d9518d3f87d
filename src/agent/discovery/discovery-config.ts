/** Workload whose configuration is requested, and the address of the control plane. */
export interface DiscoveryConfig {
  /** `host:port` of the control plane. */
  readonly address: string;
  /** `role~ip~name.namespace~domain` */
  readonly nodeId: string;
  /** What the workload's SPIFFE ID begins with, namespace included. */
  readonly identityPrefix: string;
  /** Roots of the mesh on disk: they say whether a cache is of this mesh before there is an identity. */
  readonly rootPath: string;
  /** So long a configuration is used without a word of the control plane. */
  readonly maxAgeMs: number;
  /** `1.40.0` */
  readonly envoyVersion: () => Promise<string>;
  /** The agent answers DNS from the names of the mesh; absent: it does not. */
  readonly wantsNames?: boolean;
}

import type { MeshObject } from './object.ts';

export type ServerTlsMode =
  | 'PASSTHROUGH'
  | 'SIMPLE'
  | 'MUTUAL'
  | 'AUTO_PASSTHROUGH'
  | 'MESH_MUTUAL'
  | 'OPTIONAL_MUTUAL';

export type TlsVersion = 'TLS_AUTO' | 'TLSV1_0' | 'TLSV1_1' | 'TLSV1_2' | 'TLSV1_3';

export interface ServerTlsSettings {
  readonly httpsRedirect?: boolean;
  /** PASSTHROUGH when absent. */
  readonly mode?: ServerTlsMode;
  readonly serverCertificate?: string;
  readonly privateKey?: string;
  readonly caCertificates?: string;
  readonly caCrl?: string;
  /** Name of a secret; `<name>-cacert` holds the authorities of client certificates. */
  readonly credentialName?: string;
  readonly subjectAltNames?: readonly string[];
  readonly verifyCertificateSpki?: readonly string[];
  readonly verifyCertificateHash?: readonly string[];
  readonly minProtocolVersion?: TlsVersion;
  readonly maxProtocolVersion?: TlsVersion;
  readonly cipherSuites?: readonly string[];
}

export interface Server {
  readonly port: {
    readonly number: number;
    readonly name: string;
    /** In any case: HTTP, HTTPS, HTTP2, GRPC, GRPC-WEB, MONGO, MYSQL, REDIS, TCP or TLS. */
    readonly protocol: string;
    readonly targetPort?: number;
  };
  readonly bind?: string;
  /** `host`, `namespace/host`, `./host` or any namespace with `*`. */
  readonly hosts: readonly string[];
  readonly name?: string;
  readonly tls?: ServerTlsSettings;
}

/** Ports and hosts that gateway workloads serve (specification, Gateway). */
export interface Gateway extends MeshObject<'Gateway'> {
  readonly spec: {
    /** Absent: every gateway workload. */
    readonly selector?: Readonly<Record<string, string>>;
    readonly servers: readonly Server[];
  };
  /** Of a Gateway that stands for one listener of a Gateway of the Gateway API. */
  readonly standard?: {
    /** The selector holds for workloads of this namespace alone. */
    readonly namespace: string;
    /** The listener is the first one of its Gateway. */
    readonly isFirst: boolean;
  };
}

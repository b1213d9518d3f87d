import { type PartsOf, readFormat } from './read-format.ts';

/** Counts up when a reader of the form before would misread the file. */
export const meshFormat = 1;

/**
 * `mesh.json`, one for the whole output: who there is, and what redirection catches, which Envoy's configuration does
 * not say.
 */
export interface MeshFile {
  readonly format: typeof meshFormat;
  readonly trustDomain: string;
  readonly trustDomainAliases: readonly string[];
  readonly capture: MeshCapture;
  readonly workloads: readonly MeshWorkload[];
  /** Sorted by host and namespace. */
  readonly services: readonly MeshService[];
}

/** Where redirection leads connections, and which ports it leaves alone at every workload. */
export interface MeshCapture {
  readonly inboundPort: number;
  readonly outboundPort: number;
  readonly interceptionMode: InterceptionMode;
  readonly excludedInboundPorts: readonly number[];
}

type InterceptionMode = 'REDIRECT' | 'TPROXY';

export interface MeshWorkload {
  readonly namespace: string;
  readonly name: string;
  /** Of the object that describes it: `Pod`, say. */
  readonly kind: string;
  readonly role: 'sidecar' | 'router' | 'none';
  /** SPIFFE ID. */
  readonly identity: string;
  readonly addresses: readonly string[];
  readonly interceptionMode: InterceptionMode;
  /** By annotation: these ports go around a sidecar. Absent: none. */
  readonly excludedInboundPorts?: readonly number[];
  /** By annotation: only these ports are led through a sidecar. Absent: all. */
  readonly includedInboundPorts?: readonly number[];
  readonly ports: readonly MeshTarget[];
}

/** A service port as one workload serves it. */
export interface MeshTarget {
  /** Host of the service. */
  readonly service: string;
  readonly port: number;
  readonly protocol: string;
  /** Port at the workload. */
  readonly targetPort: number;
}

export interface MeshService {
  /** Fully qualified. */
  readonly host: string;
  /** Hosts of Services of type ExternalName that lead to it. Absent: none. */
  readonly aliases?: readonly string[];
  readonly namespace: string;
  readonly kind: 'Service' | 'ServiceEntry';
  readonly isExternal: boolean;
  readonly isHeadless: boolean;
  readonly resolution: string;
  readonly addresses: readonly string[];
  readonly ports: readonly MeshServicePort[];
  readonly endpoints: readonly MeshEndpoint[];
}

export interface MeshServicePort {
  readonly number: number;
  readonly name: string;
  readonly protocol: string;
}

export interface MeshEndpoint {
  readonly servicePort: number;
  readonly address: string;
  readonly port: number;
  readonly hasSidecar: boolean;
  /** SPIFFE ID; absent where no workload is known. */
  readonly identity?: string;
  readonly workload?: { readonly namespace: string; readonly name: string };
}

const parts: PartsOf<MeshFile> = {
  trustDomain: 'string',
  trustDomainAliases: 'list of strings',
  capture: 'object',
  workloads: 'list of objects',
  services: 'list of objects',
};

/** Reads the text of `mesh.json`; throws when it is not JSON, has another format, or lacks a part. */
export function readMeshFile(text: string): MeshFile {
  return readFormat<MeshFile>('mesh.json', meshFormat, parts, text);
}

import type { MeshObject } from './object.ts';

/** The part of the orchestrator's objects that says who there is; other fields are tolerated and not read. */
export interface Namespace extends MeshObject<'Namespace'> {}

/** Its labels say where its pods are. */
export interface Node extends MeshObject<'Node'> {}

export interface ServiceAccount extends MeshObject<'ServiceAccount'> {}

export interface ServicePortSpec {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  readonly targetPort?: number | string;
  readonly appProtocol?: string;
}

export interface Service extends MeshObject<'Service'> {
  readonly spec: {
    readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalName?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePortSpec[];
    readonly publishNotReadyAddresses?: boolean;
  };
}

export interface ContainerSpec {
  readonly name: string;
  /** `auto` where injection fills the container in. */
  readonly image?: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly protocol?: string }[];
}

export interface PodSpec {
  readonly serviceAccountName?: string;
  /** The older name of the field: Kubernetes takes it where the other one is absent or empty. */
  readonly serviceAccount?: string;
  readonly hostNetwork?: boolean;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly nodeName?: string;
  readonly containers?: readonly ContainerSpec[];
  readonly initContainers?: readonly ContainerSpec[];
}

export interface Pod extends MeshObject<'Pod'> {
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export type ControllerKind = 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job';

/** Deployment, StatefulSet, DaemonSet and Job: their pod template stands for the pods that they will make. */
export interface WorkloadController extends TemplateHolder {
  readonly kind: ControllerKind;
}

/** An object that has pods made of a template. */
export interface TemplateHolder extends MeshObject<string> {
  readonly spec: {
    readonly template: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: PodSpec;
    };
  };
}

export interface ObjectReference {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly targetRef?: ObjectReference;
}

export interface Endpoints extends MeshObject<'Endpoints'> {
  readonly subsets?: readonly {
    readonly addresses?: readonly EndpointAddress[];
    readonly notReadyAddresses?: readonly EndpointAddress[];
    readonly ports?: readonly { readonly name?: string; readonly port: number; readonly protocol?: string }[];
  }[];
}

export interface EndpointSlice extends MeshObject<'EndpointSlice'> {
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
    readonly targetRef?: ObjectReference;
    readonly zone?: string;
  }[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[];
}

export interface WorkloadEntrySpec {
  readonly address?: string;
  readonly ports?: Readonly<Record<string, number>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly network?: string;
  readonly locality?: string;
  readonly weight?: number;
  readonly serviceAccount?: string;
}

export interface WorkloadEntry extends MeshObject<'WorkloadEntry'> {
  readonly spec: WorkloadEntrySpec;
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

/** What WorkloadEntries of one namespace have in common; its probe is not sent, and so not typed. */
export interface WorkloadGroup extends MeshObject<'WorkloadGroup'> {
  readonly spec: {
    readonly metadata?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly template: WorkloadEntrySpec;
    readonly probe?: object;
  };
}

export interface ServiceEntryPort {
  readonly number: number;
  readonly name: string;
  readonly protocol?: string;
  readonly targetPort?: number;
}

export interface ServiceEntry extends MeshObject<'ServiceEntry'> {
  readonly spec: {
    readonly hosts: readonly string[];
    readonly addresses?: readonly string[];
    readonly ports?: readonly ServiceEntryPort[];
    readonly location?: 'MESH_EXTERNAL' | 'MESH_INTERNAL';
    readonly resolution?: 'NONE' | 'STATIC' | 'DNS' | 'DNS_ROUND_ROBIN' | 'DYNAMIC_DNS';
    readonly endpoints?: readonly WorkloadEntrySpec[];
    readonly workloadSelector?: { readonly labels?: Readonly<Record<string, string>> };
    readonly exportTo?: readonly string[];
    readonly subjectAltNames?: readonly string[];
  };
}

/** Gateway TLS; its values are never printed. */
export interface Secret extends MeshObject<'Secret'> {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

export type TopologyObject =
  | Namespace
  | Node
  | ServiceAccount
  | Service
  | Pod
  | WorkloadController
  | Endpoints
  | EndpointSlice
  | WorkloadEntry
  | WorkloadGroup
  | ServiceEntry
  | Secret;

import type { JsonObject } from '../../../src/source/document.ts';

/** What a node reads of a pod: the object as the API server has stored it. */
export interface PodOnServer {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly terminationGracePeriodSeconds: number;
    readonly initContainers?: readonly ContainerOfPod[];
    readonly containers: readonly ContainerOfPod[];
    readonly volumes?: readonly VolumeOfPod[];
  };
}

export interface ContainerOfPod {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly VariableOfContainer[];
  readonly lifecycle?: { readonly postStart?: HookOfContainer; readonly preStop?: HookOfContainer };
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly startupProbe?: ProbeOfContainer;
  readonly readinessProbe?: ProbeOfContainer;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly securityContext?: {
    readonly runAsUser?: number;
    readonly runAsGroup?: number;
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  };
}

export interface VariableOfContainer {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

export interface HookOfContainer {
  readonly exec?: { readonly command: readonly string[] };
  readonly sleep?: { readonly seconds: number };
}

export interface ProbeOfContainer {
  readonly httpGet: { readonly path: string; readonly port: number | string };
}

interface Items {
  readonly items?: readonly {
    readonly path: string;
    readonly key?: string;
    readonly fieldRef?: { readonly fieldPath: string };
  }[];
}

/** One source of a volume's files. */
export interface VolumeSource {
  readonly configMap?: Items & { readonly name: string };
  readonly downwardAPI?: Items;
  readonly serviceAccountToken?: { readonly audience?: string; readonly path: string };
}

export interface VolumeOfPod extends VolumeSource {
  readonly name: string;
  readonly emptyDir?: JsonObject;
  readonly projected?: { readonly sources: readonly VolumeSource[] };
}

/** A container that goes on running beside those that are started after it. */
export function stays({ restartPolicy }: ContainerOfPod): boolean {
  return restartPolicy === 'Always';
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

/** What a kubelet does with a container when it starts or ends it (Kubernetes API v1, LifecycleHandler). */
export interface Hook {
  readonly exec?: { readonly command: readonly string[] };
  readonly sleep?: { readonly seconds: number };
}

/** The part of a probe that tells what is asked; all of ours ask by HTTP. */
export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
}

/** One variable: its value, or the field of the pod that it comes from. */
export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

/** The fields of a container that the tests read; the others are handed on as they are. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly lifecycle?: { readonly postStart?: Hook; readonly preStop?: Hook };
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

/** One volume; exactly one of the sources is there. */
export interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string; readonly defaultMode?: number };
  readonly downwardAPI?: {
    readonly items: readonly { readonly path: string; readonly fieldRef: { readonly fieldPath: string } }[];
  };
  readonly emptyDir?: object;
  readonly projected?: {
    readonly sources: readonly { readonly serviceAccountToken: { readonly audience: string; readonly path: string } }[];
  };
}

/** A Pod of the folder `deploy`. */
export interface PodManifest {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly terminationGracePeriodSeconds: number;
    readonly restartPolicy?: string;
    readonly hostAliases?: readonly { readonly ip: string; readonly hostnames: readonly string[] }[];
    readonly securityContext: { readonly fsGroup: number };
    readonly initContainers: readonly Container[];
    readonly containers: readonly Container[];
    readonly volumes: readonly Volume[];
  };
}

/** Any object of a manifest. */
export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Folder of the container file and the manifests. */
export const deployFolder: string = fileURLToPath(new URL('../../deploy', import.meta.url));

/** The objects of a file of `deploy`, in their order; throws what the parser has to say of it. */
export function readManifest(file: string): ClusterObject[] {
  return parseAllDocuments(readFileSync(join(deployFolder, file), 'utf8'), { strict: true }).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.toJS() as ClusterObject;
  });
}

/** The one Pod of a file of `deploy`. */
export function readPod(file: string): PodManifest {
  const pods = readManifest(file).filter(({ kind }) => kind === 'Pod');
  if (pods.length !== 1) throw new Error(`${file} has ${pods.length} pods`);
  return pods[0] as ClusterObject & PodManifest;
}

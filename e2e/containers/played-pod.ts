import { join } from 'node:path';
import type { Container, PodManifest, Variable, Volume } from './pod-manifest.ts';

/** What the cluster decides of a pod. */
export interface Placement {
  readonly podIp: string;
  /** Address of the node. */
  readonly hostIp: string;
  /** Folder with a folder for each volume, as podman sees it. */
  readonly volumes: string;
  /** Addresses of services by name, in the place of the cluster's DNS. */
  readonly hosts?: Readonly<Record<string, string>>;
}

/**
 * The pod as `podman kube play` 4.3 can run it. It fails on volumes of Secrets, knows no downward API, starts init
 * containers again that have ended, and leaves hooks and probes alone. So here, and nowhere else:
 *
 * - each volume is a folder of the host, which `makeVolumes` has made as a kubelet does;
 * - variables from fields of the pod have their values;
 * - init containers are containers, and nothing is started again: whoever plays the pod starts all in the kubelet's order;
 * - names of services are in the file of hosts;
 * - annotations are left out, of which it takes no more than 63 characters: the volume that tells them has them all;
 * - hooks and probes are left out: whoever plays the pod runs them.
 */
export function playedPod(pod: PodManifest, placement: Placement): PodManifest {
  const { initContainers, containers, volumes } = pod.spec;
  const { annotations, ...metadata } = pod.metadata;
  return {
    ...pod,
    metadata,
    spec: {
      ...pod.spec,
      restartPolicy: 'Never',
      hostAliases: Object.entries(placement.hosts ?? {}).map(([name, ip]) => ({ ip, hostnames: [name] })),
      initContainers: [],
      containers: [...initContainers, ...containers].map((container) => playedContainer(container, pod, placement)),
      volumes: volumes.map(({ name }) => hostFolder(name, placement)),
    },
  };
}

function hostFolder(name: string, { volumes }: Placement): Volume {
  const hostPath = { path: join(volumes, name), type: 'Directory' };
  return { name, hostPath } as Volume;
}

function playedContainer(container: Container, pod: PodManifest, { podIp, hostIp }: Placement): Container {
  const { lifecycle, startupProbe, readinessProbe, restartPolicy, ...rest } = container;
  if (container.env === undefined) return rest;
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'spec.serviceAccountName': pod.spec.serviceAccountName,
    'status.podIP': podIp,
    'status.hostIP': hostIp,
  };
  return { ...rest, env: container.env.map((variable) => valued(variable, fields)) };
}

function valued({ name, value, valueFrom }: Variable, fields: Readonly<Record<string, string>>): Variable {
  if (valueFrom === undefined) return { name, value: value ?? '' };
  const known = fields[valueFrom.fieldRef.fieldPath];
  if (known === undefined) throw new Error(`${name}: no field "${valueFrom.fieldRef.fieldPath}"`);
  return { name, value: known };
}

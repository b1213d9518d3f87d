import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Container, deployFolder, type PodManifest } from './pod-manifest.ts';

/** The pod with what docs/guides/pilot-agent-containers.md gives for a certificate from meshd, in the place of the Secret. */
export function withAuthority(pod: PodManifest): PodManifest {
  const page = readFileSync(join(deployFolder, '../docs/guides/pilot-agent-containers.md'), 'utf8');
  const { spec } = parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as Pick<PodManifest, 'spec'>;
  const [proxy] = spec.containers;
  const changed = (container: Container): Container =>
    container.name === proxy?.name ? merged(container, proxy) : container;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      initContainers: pod.spec.initContainers.map(changed),
      containers: pod.spec.containers.map(changed),
      volumes: [...pod.spec.volumes.filter(({ name }) => name !== 'mesh-identity'), ...spec.volumes],
    },
  };
}

function merged(container: Container, { env = [], volumeMounts = [] }: Container): Container {
  return {
    ...container,
    env: [...(container.env ?? []).filter(({ name }) => name !== 'PROV_CERT'), ...env],
    volumeMounts: [...(container.volumeMounts ?? []).filter(({ name }) => name !== 'mesh-identity'), ...volumeMounts],
  };
}

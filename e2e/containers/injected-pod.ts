import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { inject } from '../../src/injection/inject.ts';
import type { PodObject } from '../../src/injection/pod.ts';
import { readInjectionSettings } from '../../src/injection/settings.ts';
import type { JsonObject } from '../../src/source/document.ts';
import { type Container, type PodManifest, readPod } from './pod-manifest.ts';

/** What a pod says of its own proxy: a part of the container `mesh-proxy`, volumes and annotations. */
export interface OwnPart {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly volumes: readonly { readonly mountPath: string; readonly volume: JsonObject & { readonly name: string } }[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The application of `deploy/pod.yaml` with its probe as the kubelet would make it, injected. Its proxy compiles the policies
 * of the pod, as that one's does.
 */
export function injectedPod({ env, volumes, annotations = {} }: OwnPart): PodManifest {
  const { metadata, spec, ...head } = readPod('pod.yaml') as unknown as { metadata: JsonObject; spec: JsonObject };
  const containers = spec.containers as unknown as readonly Container[];
  const application = containers.find(({ name }) => name === 'web');
  const policies = {
    mountPath: '/etc/mesh/policies',
    volume: { name: 'mesh-policies', configMap: { name: 'mesh-policies' } },
  };
  const own = [policies, ...volumes];
  const proxy = {
    ...{ name: 'mesh-proxy', image: 'auto', args: ['proxy', 'sidecar', '--policies', '/etc/mesh/policies'], env },
    volumeMounts: own.map(({ mountPath, volume }) => ({ name: volume.name, mountPath, readOnly: true })),
  };
  const pod = {
    ...head,
    metadata: { ...metadata, annotations },
    spec: {
      ...spec,
      initContainers: [],
      containers: [{ ...application, readinessProbe: { httpGet: { path: '/ready', port: 'http' } } }, proxy],
      volumes: own.map(({ volume }) => volume),
    },
  } as unknown as PodObject;
  const bag = new DiagnosticBag();
  const settings = readInjectionSettings({ revision: 'default', ownNamespace: 'mesh-system' }, bag);
  if (settings === undefined) throw new Error('the settings of injection are faulty');
  const injection = inject({ pod, namespace: 'shop', namespaceLabels: { 'mesh-injection': 'enabled' } }, settings);
  if (injection.kind !== 'injected') throw new Error(`the pod is ${injection.kind}`);
  return injection.pod as unknown as PodManifest;
}

/** The ConfigMap of the mesh's roots, as `meshd` publishes it. */
export function rootConfigMap(roots: string) {
  const metadata = { name: 'istio-ca-root-cert', namespace: 'shop' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'root-cert.pem': roots } };
}

import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { ClusterAccess } from './cluster-access.ts';
import { KubernetesError } from './kubernetes-error.ts';

/** Where Kubernetes puts the service account of a pod. */
export const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Access from inside a pod: the server's address from the environment; roots and a rotating token from files. */
export function accessOfPod(
  environment: Readonly<Record<string, string | undefined>>,
  folder = accountFolder,
): ClusterAccess {
  const [host, port] = [environment.KUBERNETES_SERVICE_HOST ?? '', environment.KUBERNETES_SERVICE_PORT ?? ''];
  const text = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  if (host === '' || port === '' || !URL.canParse(text)) {
    throw new KubernetesError(
      'cluster-access-unusable',
      `there is no cluster around this process: KUBERNETES_SERVICE_HOST is "${host}" and KUBERNETES_SERVICE_PORT is "${port}"; outside a pod name a kubeconfig with --kubeconfig`,
    );
  }
  const namespace = join(folder, 'namespace');
  return {
    ...{ name: 'the cluster of this pod', server: new URL(text), roots: { file: join(folder, 'ca.crt') } },
    ...{ serverName: undefined, isUnverified: false, proxy: undefined, certificate: undefined, plugin: undefined },
    token: { file: join(folder, 'token') },
    namespace: existsSync(namespace) ? readFileSync(namespace, 'utf8').trim() : undefined,
    impersonation: {},
  };
}

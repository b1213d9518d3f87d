import { describe, expect, test } from 'vitest';
import { KubernetesApi } from './api.ts';
import { accessOfKubeconfig } from './kubeconfig.ts';
import { KubernetesError } from './kubernetes-error.ts';

const pem = (label: string): string =>
  Buffer.from(`-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`).toString('base64');

describe('KubernetesApi', () => {
  test('reports a client key that is damaged, such as one that is being written', async () => {
    const user = { 'client-certificate-data': pem('CERTIFICATE'), 'client-key-data': pem('PRIVATE KEY') };
    const text = JSON.stringify({
      ...{ kind: 'Config', 'current-context': 'a', users: [{ name: 'u', user }] },
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
    });
    const api = new KubernetesApi(accessOfKubeconfig('config', text, undefined));
    const failed = await api.ask({ path: '/api' }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(KubernetesError);
    expect(failed).toMatchObject({ code: 'credentials-unusable' });
    expect((failed as Error).message).toMatch(
      /^GET \/api: a certificate, key or header of the kubeconfig cannot be used: /,
    );
  });
});

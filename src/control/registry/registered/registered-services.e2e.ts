import { statSync } from 'node:fs';
import { request } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { ServingBench } from '../../testing/serving-bench.ts';

const mesh = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: client, namespace: shop}
spec: {address: 10.1.9.9, serviceAccount: client, labels: {security.mesh.io/tlsMode: mesh}}
`;
const service = (address: string) => `
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: hello, namespace: shop}
spec:
  hosts: [hello.default.svc.cluster.local]
  ports: [{number: 80, name: http}]
  resolution: STATIC
  endpoints: [{address: ${address}}]
`;

describe('services that programs register with meshd', () => {
  let bench: ServingBench;
  let socketPath: string;
  beforeEach(async () => {
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', mesh);
    socketPath = bench.path('run/register.sock');
    const services = { catalogs: [], registrationSocket: socketPath };
    await bench.start({ compile: { source: { type: 'folder', folder: bench.path('config'), services } } });
    await eventually(() => statSync(socketPath));
  });
  afterEach(() => bench.close());

  const ask = (method: string, path: string, body = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ socketPath, method, path }, async (answer) => {
        resolve(`${answer.statusCode} ${(await text(answer)).trim()}`);
      })
        .on('error', reject)
        .end(body);
    });
  const shown = async (): Promise<string> =>
    JSON.stringify(JSON.parse(await bench.debug('/debug/config_dump?proxy=shop/client')).endpoints ?? []);

  test('are served until they are deleted', async () => {
    expect(await ask('GET', '/registrations')).toBe('200 {"registrations":[]}');
    expect(await ask('PUT', '/registrations/hello', service('10.2.0.1'))).toContain('201');
    await eventually(async () => expect(await shown()).toContain('10.2.0.1'));
    expect(await ask('PUT', '/registrations/hello', service('10.2.0.2'))).toContain('200');
    await eventually(async () => expect(await shown()).toContain('10.2.0.2'));
    expect(await shown()).not.toContain('10.2.0.1');
    expect(await ask('GET', '/registrations')).toContain('{"name":"hello","kinds":["ServiceEntry"]}');
    expect(await ask('DELETE', '/registrations/hello')).toContain('200');
    await eventually(async () => expect(await shown()).not.toContain('10.2.0.2'));
    expect(await ask('DELETE', '/registrations/hello')).toContain('404');
  });

  test('are of kinds that decide nobody’s access, and valid; the socket is open to this user alone', async () => {
    // In a folder that is ours alone the socket is there a moment before it has its mode.
    await eventually(() => expect(statSync(socketPath).mode & 0o777).toBe(0o600));
    expect(statSync(dirname(socketPath)).mode & 0o077).toBe(0);
    const policy =
      'apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a, namespace: shop}\nspec: {}\n';
    expect(await ask('PUT', '/registrations/a', policy)).toContain(
      '422 {"error":"AuthorizationPolicy cannot be registered',
    );
    expect(await ask('PUT', '/registrations/a', service('nowhere').replace('number: 80', 'number: 0'))).toContain(
      '422',
    );
    expect(await ask('PUT', '/registrations/a', '# nothing')).toContain('422');
    expect(await ask('PUT', '/registrations/..%2fmesh', service('10.2.0.1'))).toContain('404');
    expect(await ask('POST', '/registrations/a', service('10.2.0.1'))).toContain('404');
    expect(await ask('GET', '/registrations')).toBe('200 {"registrations":[]}');
  });
});

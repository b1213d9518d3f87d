import { writeFile } from 'node:fs/promises';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa } from '../../../testing/certificates.ts';
import { ConfigurationServer, servedObject } from '../../../testing/configuration-server.ts';
import { eventually } from '../../../testing/eventually.ts';
import { ServingBench } from '../../testing/serving-bench.ts';
import type { StreamFiles } from './stream-address.ts';

const mesh = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: client, namespace: shop}
spec: {address: 10.1.9.9, serviceAccount: client, labels: {app: web, security.mesh.io/tlsMode: mesh}}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: own, namespace: shop}
spec:
  hosts: [own.global]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 8080, name: http}]
  workloadSelector: {labels: {app: web}}
`;
const entries = 'networking.istio.io/v1alpha3/ServiceEntry';
const policies = 'security.istio.io/v1beta1/AuthorizationPolicy';
const entry = (address: string, version: string) =>
  servedObject(
    'shop/hello',
    { hosts: ['hello.global'], ports: [{ number: 80, name: 'http' }], resolution: 'STATIC', endpoints: [{ address }] },
    version,
  );
const deny = (path: string, version: string, action = 'DENY') =>
  servedObject('shop/deny', { action, rules: [{ to: [{ operation: { paths: [path] } }] }] }, version);

describe.each([true, false])('a configuration server (incremental: %s)', (isIncremental) => {
  let bench: ServingBench;
  let server: ConfigurationServer;
  beforeEach(async () => {
    bench = await ServingBench.create();
    server = new ConfigurationServer();
    await bench.put('mesh.yaml', mesh);
    server.put(entries, { 'shop/hello': entry('10.1.1.1', '1') });
    server.put(policies, { 'shop/deny': deny('/secret', '1') });
  });
  afterEach(async () => {
    await bench.close();
    server.stop();
  });

  const start = async (files?: StreamFiles, host = '127.0.0.1'): Promise<void> => {
    const streams = [{ address: `${host}:${server.port}`, isIncremental, files }];
    const source = { type: 'folder', folder: bench.path('config'), services: { catalogs: [], streams } };
    await bench.start({ compile: { source } });
  };
  const shown = async (part: 'endpoints' | 'listeners'): Promise<string> =>
    JSON.stringify(JSON.parse(await bench.debug('/debug/config_dump?proxy=shop/client'))[part] ?? []);
  const refusals = (): string[] => server.heard.flatMap(({ error_detail: error }) => (error ? [error.message] : []));

  test('gives services and policies, and what changes of them', async () => {
    await server.start();
    await start();
    await eventually(async () => expect(await shown('endpoints')).toContain('10.1.1.1'));
    expect(await shown('listeners')).toContain('/secret');
    server.put(entries, { 'shop/hello': entry('10.1.1.2', '2') });
    await eventually(async () => expect(await shown('endpoints')).toContain('10.1.1.2'));
    server.put(policies, { 'shop/deny': undefined });
    await eventually(async () => expect(await shown('listeners')).not.toContain('/secret'));
    expect(refusals()).toEqual([]);
    expect(new Set(server.heard.map(({ type_url: type }) => type)).size).toBe(11);
    const group = `kind="xDS",group="127.0.0.1:${server.port}"`;
    expect(await bench.metric(`meshd_registry_objects{${group}}`.replaceAll(/[{}]/g, '\\$&'))).toBe('1');
  });

  test('compiles nothing before the policies of the server are known', async () => {
    await server.start();
    server.stop();
    await start();
    await eventually(() => expect(bench.logged('warn')).toMatch(/is not followed now: cannot connect to /));
    expect(await bench.metric('meshd_compilations_count')).toBe('0');
    await server.start();
    await eventually(async () => expect(await shown('listeners')).toContain('/secret'));
  });

  test('keeps what the server sent last while it is away, and takes what has changed when it is back', async () => {
    await server.start();
    await start();
    await eventually(async () => expect(await shown('listeners')).toContain('/secret'));
    server.stop();
    await eventually(() => expect(bench.logged('warn')).toMatch(/is not followed now/));
    await bench.put('more.yaml', (mesh.split('---\n')[2] ?? '').replaceAll('own', 'other'));
    await eventually(async () => expect(await shown('endpoints')).toContain('other.global'));
    expect(await shown('listeners')).toContain('/secret');
    expect(await shown('endpoints')).toContain('10.1.1.1');
    server.put(policies, { 'shop/deny': undefined });
    server.put(entries, { 'shop/hello': entry('10.1.1.3', '3') });
    const before = server.heard.length;
    await server.start();
    await eventually(async () => expect(await shown('endpoints')).toContain('10.1.1.3'));
    await eventually(async () => expect(await shown('listeners')).not.toContain('/secret'));
    // The incremental form says what is known already.
    const asked = server.heard.slice(before).find(({ type_url: type }) => type === policies);
    expect(asked?.initial_resource_versions).toEqual(isIncremental ? { 'shop/deny': '1' } : undefined);
  });

  test('hears which object is invalid, whose last valid version stays active beside the new ones', async () => {
    await server.start();
    await start();
    await eventually(async () => expect(await shown('listeners')).toContain('/secret'));
    const [bad, more] = [
      deny('/changed', '2', 'DENI'),
      servedObject('shop/more', { action: 'DENY', rules: [{ to: [{ operation: { paths: ['/more'] } }] }] }, '1'),
    ];
    server.put(policies, { 'shop/deny': bad, 'shop/more': more });
    await eventually(async () => expect(await shown('listeners')).toContain('/more'));
    expect(await shown('listeners')).toContain('/secret');
    expect(await shown('listeners')).not.toContain('/changed');
    expect(refusals()).toEqual([expect.stringMatching(/^shop\/deny: .*"DENI"/)]);
    expect(bench.logged('warn')).toContain('is refused: shop/deny');
    server.put(policies, { 'shop/deny': deny('/changed', '3') });
    await eventually(async () => expect(await shown('listeners')).toContain('/changed'));
    expect(await shown('listeners')).not.toContain('/secret');
  });

  test('is reached over TLS, where its certificate is for its name and leads to the roots', async () => {
    const ca = await createMeshCa();
    const { certificateChain, privateKey } = await ca.issue('', { uris: [], dnsNames: ['localhost'] });
    const pair = { cert_chain: Buffer.from(certificateChain), private_key: Buffer.from(privateKey) };
    await server.start(ServerCredentials.createSsl(null, [pair]));
    await writeFile(bench.path('roots.pem'), (await createMeshCa()).rootCertificate);
    await start({ roots: bench.path('roots.pem') }, 'localhost');
    await eventually(() =>
      expect(bench.logged('warn')).toMatch(/is not followed now: cannot connect to .*certificate/i),
    );
    expect(server.heard).toEqual([]);
    // Read for each connection.
    await writeFile(bench.path('roots.pem'), ca.rootCertificate);
    await eventually(async () => expect(await shown('listeners')).toContain('/secret'));
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { delay } from '../../src/lib/abort.ts';
import { destinationRule, peerAuthentication, topologyText } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { tries } from '../../src/testing/effort.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { forwarded, outcome, server, serverMesh, under } from '../testing/server-mesh.ts';

describeMesh('a mesh with automatic mutual TLS', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed(serverMesh);
  });
  afterAll(() => testbed?.close());

  const root = { namespace: 'mesh-system' };
  const workload = { namespace: 'foo', app: 'server' };
  test.each<[policies: string, withSidecar: string, without: string, readonly object[]]>([
    ['PERMISSIVE for the mesh', 'mutual TLS', 'plain', [peerAuthentication({ ...root, mode: 'PERMISSIVE' })]],
    ['STRICT for the workload', 'mutual TLS', 'exit 56', [peerAuthentication({ ...workload, mode: 'STRICT' })]],
    ['DISABLE for the mesh', 'plain', 'plain', [peerAuthentication({ ...root, mode: 'DISABLE' })]],
    ['DISABLE for the namespace', 'plain', 'plain', [peerAuthentication({ namespace: 'foo', mode: 'DISABLE' })]],
    ['DISABLE for the workload alone', '503', 'plain', [peerAuthentication({ ...workload, mode: 'DISABLE' })]],
    ['a DISABLE destination rule', 'plain', 'plain', [destinationRule('foo', 'server', 'DISABLE')]],
    ['a MESH_MUTUAL destination rule', 'mutual TLS', 'plain', [destinationRule('foo', 'server', 'MESH_MUTUAL')]],
    [
      'STRICT and a DISABLE destination rule',
      '503',
      'exit 56',
      [peerAuthentication({ namespace: 'foo', mode: 'STRICT' }), destinationRule('foo', 'server', 'DISABLE')],
    ],
  ])('under %s a sidecar gets %s, a client without one %s', async (_policies, withSidecar, without, objects) => {
    await under(testbed, objects, async () => {
      expect({
        withSidecar: await outcome(testbed, 'foo/client'),
        without: await outcome(testbed, 'legacy/client'),
      }).toEqual({ withSidecar, without });
    });
  });

  test('a port-level mode holds for its port alone', async () => {
    const objects = [
      peerAuthentication({ ...workload, mode: 'STRICT', portModes: { 8000: 'DISABLE', 8002: 'PERMISSIVE' } }),
      destinationRule('foo', 'server', 'DISABLE', 8000),
    ];
    await under(testbed, objects, async () => {
      const seen: Record<string, string> = {};
      for (const port of [8000, 8001, 8002]) {
        for (const from of ['foo/client', 'legacy/client'])
          seen[`${from} ${port}`] = await outcome(testbed, from, port);
      }
      expect(seen).toEqual({
        'foo/client 8000': 'plain',
        'legacy/client 8000': 'plain',
        'foo/client 8001': 'mutual TLS',
        'legacy/client 8001': 'exit 56',
        'foo/client 8002': 'mutual TLS',
        'legacy/client 8002': 'plain',
      });
    });
  });

  test('STRICT holds on ports that no service declares', async () => {
    const undeclared = { from: 'legacy/client', to: '10.77.0.10', port: 8003 };
    expect(await testbed.request(undeclared)).toMatchObject({ status: '200' });
    await under(testbed, [peerAuthentication({ namespace: 'foo', mode: 'STRICT' })], async () => {
      expect(await testbed.request(undeclared)).toMatchObject({ status: '000', exitCode: 56 });
    });
  });

  test('names client and server in X-Forwarded-Client-Cert, and nothing more', async () => {
    const { body } = await testbed.request({ from: 'foo/client', to: server, path: '/headers' });
    expect(forwarded.exec(body)?.[1]).toMatch(
      /^By=spiffe:\/\/cluster\.local\/ns\/foo\/sa\/server;Hash=[0-9a-f]{64};URI=spiffe:\/\/cluster\.local\/ns\/foo\/sa\/client$/,
    );
  });

  test.each(['foo/client', 'legacy/client'])('lets no X-Forwarded-Client-Cert of %s itself through', async (from) => {
    const headers = { 'X-Forwarded-Client-Cert': 'By=spiffe://forged;URI=spiffe://cluster.local/ns/foo/sa/admin' };
    const { body, status } = await testbed.request({ from, to: server, path: '/headers', headers });
    expect(status).toBe('200');
    expect(body).not.toMatch(/forged|admin/);
    expect(forwarded.test(body)).toBe(from === 'foo/client');
  });

  test('refuses a client of another trust domain, whose name merely begins the same', async () => {
    expect(await outcome(testbed, 'foreign/client')).toBe('503');
    expect(
      await testbed.sidecar('foo/server').counter('^listener\\..*_15006\\.ssl\\.fail_verify_san$'),
    ).toBeGreaterThan(0);
  });

  test('answers a workload that calls its own service, over mutual TLS', async () => {
    expect(await outcome(testbed, 'foo/server')).toBe('mutual TLS');
  });

  test('fails no request between sidecars while policies come and go', async () => {
    const strict = topologyText([peerAuthentication({ namespace: 'foo', mode: 'STRICT' })]);
    const seen = new Set<string>();
    let isChanging = true;
    const caller = async (): Promise<void> => {
      while (isChanging) {
        seen.add(await outcome(testbed, 'foo/client'));
        // Each call is a process: without a pause they would take the processors from the change.
        await delay(50);
      }
    };
    const callers = [caller(), caller()];
    for (let i = 0; i < tries(3); i += 1) {
      await testbed.apply({ 'policies.yaml': strict });
      await testbed.remove('policies.yaml');
    }
    isChanging = false;
    await Promise.all(callers);
    expect([...seen]).toEqual(['mutual TLS']);
  });

  test('keeps the active policy when its new version is invalid, and applies the next valid change', async () => {
    const strict = topologyText([peerAuthentication({ namespace: 'foo', mode: 'STRICT' })]);
    await testbed.apply({ 'policies.yaml': strict });
    await expect(testbed.apply({ 'policies.yaml': strict.replace('STRICT', 'STRCIT') })).rejects.toThrow(
      /last valid version of PeerAuthentication foo/,
    );
    expect(await outcome(testbed, 'legacy/client')).toBe('exit 56');
    await testbed.remove('policies.yaml');
    expect(await outcome(testbed, 'legacy/client')).toBe('plain');
  });
});

describeMesh('a mesh without automatic mutual TLS', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({
      ...serverMesh,
      meshConfig: { enableAutoMtls: false },
    });
  });
  afterAll(() => testbed?.close());

  test('sends plain text between sidecars until a destination rule asks for mutual TLS', async () => {
    expect(await outcome(testbed, 'foo/client')).toBe('plain');
    await under(testbed, [destinationRule('foo', 'server', 'MESH_MUTUAL')], async () => {
      expect(await outcome(testbed, 'foo/client')).toBe('mutual TLS');
    });
  });
});

describeMesh('a mesh with PILOT_SKIP_VALIDATE_TRUST_DOMAIN', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({ ...serverMesh, env: { PILOT_SKIP_VALIDATE_TRUST_DOMAIN: 'true' } });
  });
  afterAll(() => testbed?.close());

  test('accepts a client of another trust domain, and forwards its name', async () => {
    const { status, body } = await testbed.request({ from: 'foreign/client', to: server, path: '/headers' });
    expect(status).toBe('200');
    expect(forwarded.exec(body)?.[1]).toContain('URI=spiffe://cluster.local.evil/ns/foreign/sa/client');
  });
});

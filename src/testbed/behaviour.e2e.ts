import { afterAll, beforeAll, expect, test } from 'vitest';
import { destinationRule, peerAuthentication, pod, service, topologyText } from './mesh-objects.ts';
import { createTestbed, type Testbed, type TestbedOptions } from './testbed.ts';
import { describeMesh } from './testing/describe-mesh.ts';

/** Ports of the server; the names of the service's ports declare a protocol or leave it to detection. */
const declared = { http: 8000, 'http-strictly': 8001, 'tcp-echo': 9000, 'tcp-greeting': 9001, 'http-private': 9002 };
const detected = { web: 8002, echoed: 9003, greeted: 9004 };

const topology = topologyText([
  pod({
    namespace: 'foo',
    name: 'server',
    index: 10,
    ports: {
      http: 8000,
      'http-strictly': 8001,
      'http-web': 8002,
      'http-undeclared': 8003,
      echo: 9000,
      greeting: 9001,
      'echo-detected': 9003,
      'greeting-detected': 9004,
    },
    privatePorts: { 'http-private': 9002, 'http-more': 9005 },
  }),
  service({ namespace: 'foo', name: 'server', index: 10, ports: { ...declared, ...detected } }),
  pod({ namespace: 'foo', name: 'client', index: 11 }),
  pod({ namespace: 'foreign', name: 'client', index: 12 }),
  pod({ namespace: 'legacy', name: 'client', index: 13, hasSidecar: false }),
]);

const options: TestbedOptions = {
  topology,
  trustDomains: { 'foreign/client': 'cluster.local.evil' },
  meshConfig: { protocolDetectionTimeout: '0.2s' },
};

const to = 'server.foo';
const forwarded = /"x-forwarded-client-cert": "([^"]*)"/;

/** What a client gets on an HTTP port: the status, or curl's exit code, and by which transport the server was reached. */
async function outcome(testbed: Testbed, from: string, port = 8000, ipv6 = false): Promise<string> {
  const { status, exitCode, body } = await testbed.request({ from, to, port, path: '/headers', ipv6 });
  if (status !== '200') return status === '000' ? `exit ${exitCode}` : status;
  return forwarded.test(body) ? 'mutual TLS' : 'plain';
}

/** Applies objects, runs `check`, and takes them back. */
async function under(testbed: Testbed, objects: readonly object[], check: () => Promise<void>): Promise<void> {
  await testbed.apply({ 'policies.yaml': topologyText(objects) });
  try {
    await check();
  } finally {
    await testbed.remove('policies.yaml');
  }
}

describeMesh('a mesh with automatic mutual TLS', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed(options);
  });
  afterAll(() => testbed?.close());

  const root = { namespace: 'mesh-system' };
  const server = { namespace: 'foo', app: 'server' };
  test.each<[policies: string, withSidecar: string, without: string, readonly object[]]>([
    ['PERMISSIVE for the mesh', 'mutual TLS', 'plain', [peerAuthentication({ ...root, mode: 'PERMISSIVE' })]],
    ['STRICT for the workload', 'mutual TLS', 'exit 56', [peerAuthentication({ ...server, mode: 'STRICT' })]],
    ['DISABLE for the mesh', 'plain', 'plain', [peerAuthentication({ ...root, mode: 'DISABLE' })]],
    ['DISABLE for the namespace', 'plain', 'plain', [peerAuthentication({ namespace: 'foo', mode: 'DISABLE' })]],
    ['DISABLE for the workload alone', '503', 'plain', [peerAuthentication({ ...server, mode: 'DISABLE' })]],
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
      peerAuthentication({ ...server, mode: 'STRICT', portModes: { 8000: 'DISABLE', 8002: 'PERMISSIVE' } }),
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

  test('names client and server in X-Forwarded-Client-Cert, and nothing else', async () => {
    const { body } = await testbed.request({ from: 'foo/client', to, path: '/headers' });
    expect(forwarded.exec(body)?.[1]).toMatch(
      /^By=spiffe:\/\/cluster\.local\/ns\/foo\/sa\/server;Hash=[0-9a-f]{64};URI=spiffe:\/\/cluster\.local\/ns\/foo\/sa\/client$/,
    );
  });

  test.each(['foo/client', 'legacy/client'])('lets no X-Forwarded-Client-Cert of %s itself through', async (from) => {
    const headers = { 'X-Forwarded-Client-Cert': 'By=spiffe://forged;URI=spiffe://cluster.local/ns/foo/sa/admin' };
    const { body, status } = await testbed.request({ from, to, path: '/headers', headers });
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

  test.each([
    ['HTTP/1.1', 'declared', 8000, false, '1.1'],
    ['HTTP/1.1', 'detected', 8002, false, '1.1'],
    ['HTTP/2', 'declared', 8000, true, undefined],
    ['HTTP/2', 'detected', 8002, true, '2.0'],
  ])('carries %s over a %s port', async (_protocol, _how, port, http2, version) => {
    for (const from of ['foo/client', 'legacy/client']) {
      const { status, body } = await testbed.request({ from, to, port, path: '/headers', http2 });
      expect(`${from} ${status}`).toBe(`${from} 200`);
      if (version !== undefined) expect(body).toContain(`"version": "${version}"`);
      expect(forwarded.test(body)).toBe(from === 'foo/client');
    }
  });

  test.each([
    ['client-first TCP', 'declared', 9000, 'one two three\n', 'one two three\n'],
    ['client-first TCP', 'detected', 9003, 'one two three\n', 'one two three\n'],
    ['server-first TCP', 'declared', 9001, '', 'hello\n'],
    ['server-first TCP', 'detected', 9004, '', 'hello\n'],
  ])('carries %s over a %s port', async (_protocol, _how, port, sent, expected) => {
    for (const from of ['foo/client', 'legacy/client']) {
      const { received } = await testbed.talk(from, to, port, sent, expected.length);
      expect(`${from} ${received}`).toBe(`${from} ${expected}`);
    }
  });

  test('lets a server speak first at once where nothing has to be detected', async () => {
    const greeting = async (from: string, port: number): Promise<string> => {
      const { elapsedMs, received } = await testbed.talk(from, to, port, '', 6);
      return received === 'hello\n' ? (elapsedMs < 800 ? 'at once' : 'late') : 'never';
    };
    // PERMISSIVE has to wait whether a client without a sidecar starts TLS; the mesh's own clients do.
    expect(await greeting('foo/client', 9001)).toBe('at once');
    expect(await greeting('legacy/client', 9001)).toBe('late');
    await under(testbed, [peerAuthentication({ namespace: 'foo', mode: 'DISABLE' })], async () => {
      expect(await greeting('foo/client', 9001)).toBe('at once');
      expect(await greeting('legacy/client', 9001)).toBe('at once');
      expect(await greeting('legacy/client', 9004)).toBe('late');
    });
  });

  test('STRICT closes TCP ports to plain text, and leaves them open to the mesh', async () => {
    await under(testbed, [peerAuthentication({ namespace: 'foo', mode: 'STRICT' })], async () => {
      for (const port of [9000, 9003]) {
        expect(await testbed.talk('foo/client', to, port, 'ping', 4)).toMatchObject({ exitCode: 0, received: 'ping' });
        expect(await testbed.talk('legacy/client', to, port, 'ping', 4)).toMatchObject({ exitCode: 1, received: '' });
      }
    });
  });

  test('treats IPv6 as IPv4', async () => {
    expect(await outcome(testbed, 'foo/client', 8000, true)).toBe('mutual TLS');
    expect(await outcome(testbed, 'legacy/client', 8000, true)).toBe('plain');
    await under(testbed, [peerAuthentication({ namespace: 'foo', mode: 'STRICT' })], async () => {
      expect(await outcome(testbed, 'foo/client', 8000, true)).toBe('mutual TLS');
      expect(await outcome(testbed, 'legacy/client', 8000, true)).toBe('exit 56');
      const direct = await testbed.request({ from: 'legacy/client', to: 'fd77::10', port: 8003, ipv6: true });
      expect(direct).toMatchObject({ status: '000', exitCode: 56 });
    });
  });

  test('keeps a program that listens on loopback only private', async () => {
    for (const from of ['foo/client', 'legacy/client']) {
      expect(await outcome(testbed, from, 9002)).toBe('503');
      const undeclared = await testbed.request({ from, to: '10.77.0.10', port: 9005 });
      expect(undeclared.status).not.toBe('200');
    }
  });

  // What is dialled at 15001 arrives at 15006, and is handed on to 15001 once.
  test.each([
    [15001, '503', 2],
    [15006, '000', 1],
  ])('does not loop when port %i is dialled', async (port, status, expected) => {
    const sidecar = testbed.sidecar('foo/server');
    const connections = '^listener\\..*_1500[16]\\.downstream_cx_total$';
    const before = await sidecar.counter(connections);
    const answer = await testbed.request({ from: 'legacy/client', to: '10.77.0.10', port, maxTimeSeconds: 3 });
    expect(answer.status).toBe(status);
    expect((await sidecar.counter(connections)) - before).toBe(expected);
  });

  test('answers a workload that calls its own service, over mutual TLS', async () => {
    expect(await outcome(testbed, 'foo/server')).toBe('mutual TLS');
  });

  test('lets a client call what the mesh does not know', async () => {
    const answer = await testbed.request({ from: 'foo/client', to: '10.77.0.10', port: 8003, path: '/headers' });
    expect(answer.status).toBe('200');
    expect(forwarded.test(answer.body)).toBe(false);
  });

  test('refuses HTTP/1.0', async () => {
    expect(await testbed.request({ from: 'legacy/client', to, extra: ['--http1.0'] })).toMatchObject({ status: '426' });
  });

  test('fails no request between sidecars while policies come and go', async () => {
    const strict = topologyText([peerAuthentication({ namespace: 'foo', mode: 'STRICT' })]);
    const seen = new Set<string>();
    let isChanging = true;
    const caller = async (): Promise<void> => {
      while (isChanging) seen.add(await outcome(testbed, 'foo/client'));
    };
    const callers = [caller(), caller()];
    for (let i = 0; i < 3; i += 1) {
      await testbed.apply({ 'policies.yaml': strict });
      await testbed.remove('policies.yaml');
    }
    isChanging = false;
    await Promise.all(callers);
    expect([...seen]).toEqual(['mutual TLS']);
  });

  test('keeps what is in force when a policy is broken, and takes the mended one', async () => {
    const strict = topologyText([peerAuthentication({ namespace: 'foo', mode: 'STRICT' })]);
    await testbed.apply({ 'policies.yaml': strict });
    await expect(testbed.apply({ 'policies.yaml': strict.replace('STRICT', 'STRCIT') })).rejects.toThrow(/not taken/);
    expect(await outcome(testbed, 'legacy/client')).toBe('exit 56');
    await testbed.remove('policies.yaml');
    expect(await outcome(testbed, 'legacy/client')).toBe('plain');
  });
});

describeMesh('a mesh without automatic mutual TLS and without unknown hosts', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({
      ...options,
      meshConfig: { enableAutoMtls: false, outboundTrafficPolicy: { mode: 'REGISTRY_ONLY' } },
    });
  });
  afterAll(() => testbed?.close());

  test('sends plain text between sidecars until a destination rule asks for mutual TLS', async () => {
    expect(await outcome(testbed, 'foo/client')).toBe('plain');
    await under(testbed, [destinationRule('foo', 'server', 'MESH_MUTUAL')], async () => {
      expect(await outcome(testbed, 'foo/client')).toBe('mutual TLS');
    });
  });

  test('calls nothing that the mesh does not know', async () => {
    // The black hole closes at once; whether the request was still unread, and so the close a reset, is a matter of timing.
    const tcp = await testbed.request({ from: 'foo/client', to: '10.77.0.10', port: 8003 });
    expect(tcp.status).toBe('000');
    expect([52, 56]).toContain(tcp.exitCode);
    expect(await testbed.request({ from: 'foo/client', to: '10.77.0.10' })).toMatchObject({ status: '502' });
  });
});

describeMesh('a mesh with PILOT_SKIP_VALIDATE_TRUST_DOMAIN and PILOT_HTTP10', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({
      ...options,
      env: { PILOT_SKIP_VALIDATE_TRUST_DOMAIN: 'true', PILOT_HTTP10: 'true' },
    });
  });
  afterAll(() => testbed?.close());

  test('takes HTTP/1.0', async () => {
    expect(await testbed.request({ from: 'legacy/client', to, extra: ['--http1.0'] })).toMatchObject({ status: '200' });
  });

  test('takes a client of another trust domain, and tells its name', async () => {
    const { status, body } = await testbed.request({ from: 'foreign/client', to, path: '/headers' });
    expect(status).toBe('200');
    expect(forwarded.exec(body)?.[1]).toContain('URI=spiffe://cluster.local.evil/ns/foreign/sa/client');
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { peerAuthentication } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { forwarded, outcome, server, serverMesh, under } from '../testing/server-mesh.ts';

describeMesh('a mesh with automatic mutual TLS', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed(serverMesh);
  });
  afterAll(() => testbed?.close());

  test.each([
    ['HTTP/1.1', 'declared', 8000, false, '1.1'],
    ['HTTP/1.1', 'detected', 8002, false, '1.1'],
    ['HTTP/2', 'declared', 8000, true, undefined],
    ['HTTP/2', 'detected', 8002, true, '2.0'],
  ])('carries %s over a %s port', async (_protocol, _how, port, http2, version) => {
    for (const from of ['foo/client', 'legacy/client']) {
      const { status, body } = await testbed.request({ from, to: server, port, path: '/headers', http2 });
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
      const { received } = await testbed.talk(from, server, port, sent, expected.length);
      expect(`${from} ${received}`).toBe(`${from} ${expected}`);
    }
  });

  test('lets a server speak first at once where nothing has to be detected', async () => {
    const greeting = async (from: string, port: number): Promise<string> => {
      const { elapsedMs, received } = await testbed.talk(from, server, port, '', 6);
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
        expect(await testbed.talk('foo/client', server, port, 'ping', 4)).toMatchObject({
          exitCode: 0,
          received: 'ping',
        });
        expect(await testbed.talk('legacy/client', server, port, 'ping', 4)).toMatchObject({
          exitCode: 1,
          received: '',
        });
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

  test('lets a client call what the mesh does not know', async () => {
    const answer = await testbed.request({ from: 'foo/client', to: '10.77.0.10', port: 8003, path: '/headers' });
    expect(answer.status).toBe('200');
    expect(forwarded.test(answer.body)).toBe(false);
  });

  test('refuses HTTP/1.0', async () => {
    expect(await testbed.request({ from: 'legacy/client', to: server, extra: ['--http1.0'] })).toMatchObject({
      status: '426',
    });
  });
});

describeMesh('a mesh with REGISTRY_ONLY and PILOT_HTTP10', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({
      ...serverMesh,
      meshConfig: { outboundTrafficPolicy: { mode: 'REGISTRY_ONLY' } },
      env: { PILOT_HTTP10: 'true' },
    });
  });
  afterAll(() => testbed?.close());

  test('takes HTTP/1.0', async () => {
    expect(await testbed.request({ from: 'legacy/client', to: server, extra: ['--http1.0'] })).toMatchObject({
      status: '200',
    });
  });

  test('gives an HTTP/1.0 request without a host the host no-host.invalid', async () => {
    const extra = ['--http1.0', '--header', 'Host:'];
    const inbound = await testbed.request({ from: 'legacy/client', to: server, path: '/headers', extra });
    expect(inbound.status).toBe('200');
    expect(inbound.body).toContain('no-host.invalid');
    expect(await testbed.request({ from: 'foo/client', to: server, extra })).toMatchObject({ status: '502' });
  });

  test('calls nothing that the mesh does not know', async () => {
    // The black hole closes at once; whether the request was still unread, and so the close a reset, is a matter of timing.
    const tcp = await testbed.request({ from: 'foo/client', to: '10.77.0.10', port: 8003 });
    expect(tcp.status).toBe('000');
    expect([52, 56]).toContain(tcp.exitCode);
    expect(await testbed.request({ from: 'foo/client', to: '10.77.0.10' })).toMatchObject({ status: '502' });
  });
});

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { envoyBinary } from '../../agent/testing/agent-bench.ts';
import { startTestAuthority, type TestAuthority, testSpiffeId } from '../../identity/testing/test-authority.ts';
import { createMeshCa, type MeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { fakedClock } from '../../testing/faketime.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { podMesh } from './testing/sample-mesh.ts';

/** From the agent's network to the socket file, behind which the test's authority is. */
const relay = `require('node:net').createServer((a) => { const b = require('node:net').connect('authority'); a.pipe(b).pipe(a); a.on('error', () => b.destroy()); b.on('error', () => a.destroy()); }).listen(15012, '127.0.0.1')`;
const token = `e30.${btoa('{"sub":"system:serviceaccount:foo:httpbin"}')}.c2ln`;

describe('pilot-agent proxy with an authority', () => {
  let proxy: ProxyProgram;
  let ca: MeshCa;
  let authority: TestAuthority;
  let door: Server;

  const open = async (asksForCertificate: boolean): Promise<void> => {
    authority = await startTestAuthority({ ca, asksForCertificate });
    door = createServer((inner) => {
      const outer = connect(authority.port, '127.0.0.1');
      inner.pipe(outer).pipe(inner);
      inner.on('error', () => outer.destroy());
      outer.on('error', () => inner.destroy());
    }).listen(join(proxy.folder, 'authority'));
  };
  const start = (environment: Readonly<Record<string, string>>): void =>
    proxy.start({
      environment: { CA_ADDR: 'localhost:15012', ...environment },
      prepare: `'${process.execPath}' -e "${relay}" &`,
    });

  beforeEach(async () => {
    proxy = await ProxyProgram.create(podMesh());
    ca = await createMeshCa();
    for (const [name, text] of Object.entries({
      'var/run/secrets/mesh/root-cert.pem': ca.rootCertificate,
      'var/run/secrets/tokens/mesh-token': token,
    })) {
      await proxy.makeFolderOf(name);
      await proxy.write(name, text);
    }
  });
  afterEach(async () => {
    await proxy.close();
    authority.close();
    door.close();
  });

  test('requests its certificate as its variables say, with the names of its token, and becomes ready', async () => {
    await open(false);
    start({
      PROV_CERT: '',
      MESH_META_CLUSTER_ID: 'c1',
      ECC_SIGNATURE_ALGORITHM: 'ECDSA',
      PKCS8_KEY: 'true',
      SECRET_TTL: '2h0m0s',
      OUTPUT_CERTS: 'out',
    });
    await proxy.untilReady();
    const [seen] = authority.seen;
    expect(seen?.metadata.get('authorization')).toEqual([`Bearer ${token}`]);
    expect(seen?.metadata.get('clusterid')).toEqual(['c1']);
    expect(seen?.request.validitySeconds).toBe(7_200n);
    // The chain is written last, and beside what Envoy gets.
    const chain = await eventually(() => proxy.readOwn('out/cert-chain.pem'), { interval: 20 });
    const key = await proxy.readOwn('out/key.pem');
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(createPrivateKey(key).asymmetricKeyType).toBe('ec');
    const leaf = new X509Certificate(chain);
    expect(leaf.subjectAltName).toBe(`URI:${testSpiffeId}`);
    expect(await proxy.readOwn('out/root-cert.pem')).toContain('BEGIN CERTIFICATE');
    expect(proxy.output).not.toContain(token);
  });

  test('uses the certificate of PROV_CERT, renews it in place, and renews it early with a large SECRET_GRACE_PERIOD_RATIO', async () => {
    const machine = await ca.issue(testSpiffeId);
    await proxy.write('certs/cert-chain.pem', machine.certificateChain);
    await proxy.write('certs/key.pem', machine.privateKey);
    await proxy.write('certs/root-cert.pem', machine.rootCertificate);
    await open(true);
    start({
      JWT_POLICY: 'none',
      OUTPUT_CERTS: 'certs',
      SERVICE_ACCOUNT: 'httpbin',
      SECRET_TTL: '10s',
      SECRET_GRACE_PERIOD_RATIO: '0.8',
    });
    await eventually(() => expect(authority.seen.length).toBeGreaterThan(2));
    expect(authority.seen.map(({ client }) => client)).toEqual(authority.seen.map(() => testSpiffeId));
    expect(authority.seen[0]?.metadata.get('authorization')).toEqual([]);
    expect(await proxy.readOwn('certs/key.pem')).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
  });

  test('renews within the check interval when its clock jumps by 20 hours, and Envoy serves on', async () => {
    await open(false);
    await proxy.write('time', '+0');
    // Envoy does not start under the library; its own clock is the real one.
    await proxy.write('envoy', `#!/bin/sh\nunset LD_PRELOAD\nexec '${envoyBinary()}' "$@"\n`);
    await chmod(join(proxy.folder, 'envoy'), 0o755);
    start({
      ENVOY_BINARY: join(proxy.folder, 'envoy'),
      PROV_CERT: '',
      SECRET_ROTATION_CHECK_INTERVAL: '1s',
      ...fakedClock({ FAKETIME_TIMESTAMP_FILE: join(proxy.folder, 'time'), FAKETIME_NO_CACHE: '1' }),
    });
    await proxy.untilReady();
    expect(authority.seen).toHaveLength(1);
    await proxy.write('time', '+20h');
    await eventually(() => expect(authority.seen).toHaveLength(2));
    await eventually(() => expect(proxy.output.match(/identity in service/g)).toHaveLength(2));
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(200);
  });

  test('checks again after SECRET_ROTATION_CHECK_INTERVAL when its request is refused', async () => {
    await open(false);
    authority.answer = () => ({ code: status.INVALID_ARGUMENT, details: 'too long' });
    start({ PROV_CERT: '', SECRET_ROTATION_CHECK_INTERVAL: '2s' });
    await eventually(() => expect(authority.seen).toHaveLength(2));
    await proxy.logged(/there is no certificate yet: .* INVALID_ARGUMENT: too long/);
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready')).toMatchObject({
      status: 503,
      body: expect.stringContaining('INVALID_ARGUMENT'),
    });
  });
});

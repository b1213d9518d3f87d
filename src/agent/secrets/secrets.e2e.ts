import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { spawnEnvoy } from '../../envoy/process.ts';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePort, freePorts } from '../../testing/free-ports.ts';
import { fileOfText } from '../../testing/resource-files.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { secretService } from '../../xds/secret-service.ts';
import { startDiscoveryServer } from '../../xds/server.ts';
import { ConfigFiles } from '../reload/config-files.ts';
import { type AgentBench, envoyBinary, httpGet, startBench } from '../testing/agent-bench.ts';
import { sampleFiles } from '../testing/sample-proxy.ts';
import { secretResources } from './secret-resources.ts';

const id = 'spiffe://cluster.local/ns/foo/sa/app';

let folder: string;
let ca: MeshCa;
let client: IssuedCertificate;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  ca = await createMeshCa();
  client = await ca.issue('spiffe://cluster.local/ns/foo/sa/client');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the agent', () => {
  let agent: AgentBench | undefined;
  afterEach(() => agent?.close());

  const put = async (issued: Partial<IssuedCertificate>): Promise<void> => {
    const certs = join(folder, 'certs');
    await mkdir(certs, { recursive: true });
    const files = {
      'root-cert.pem': issued.rootCertificate,
      'key.pem': issued.privateKey,
      'cert-chain.pem': issued.certificateChain,
    };
    for (const [name, text] of Object.entries(files)) if (text !== undefined) await writeFile(join(certs, name), text);
  };
  const startWithTls = async (): Promise<AgentBench> => {
    const tlsPort = await freePort();
    return startBench({ folder, config: { identityFolder: join(folder, 'certs') }, sample: { tlsPort } });
  };

  test('serves the identity of its folder to Envoy, and each new one to new connections', async () => {
    const first = await ca.issue(id);
    await put(first);
    agent = await startWithTls();
    await agent.untilReady();
    const { tlsPort = 0 } = agent.sample;
    expect(await serialServed(tlsPort, client)).toBe(serialOf(first));
    const second = await ca.issue(id);
    await put(second);
    await eventually(async () => expect(await serialServed(tlsPort, client)).toBe(serialOf(second)));
    await put({ privateKey: 'garbage' });
    await agent.untilLogged('key.pem holds no private key');
    expect(await serialServed(tlsPort, client)).toBe(serialOf(second));
    expect(agent.lines.join('')).not.toContain('garbage');
  });

  test('becomes ready when the identity comes after Envoy', async () => {
    agent = await startWithTls();
    await agent.untilLogged('Envoy waits for a secret that is not there yet');
    const why = async (): Promise<string> => (await httpGet(agent?.statusPort ?? 0, '/healthz/ready')).body;
    await eventually(async () => expect(await why()).toMatch(/no identity: cannot read ".*cert-chain.pem" \(ENOENT\)/));
    await put({ ...(await ca.issue(id)), privateKey: client.privateKey });
    const mismatch = 'key.pem is not the key of the first certificate of cert-chain.pem';
    await eventually(async () => expect(await why()).toContain(mismatch));
    expect(await agent.readiness()).toBe(503);
    await put(await ca.issue(id));
    await agent.untilReady();
  });

  test('warns of a certificate that names another namespace than the workload has', async () => {
    await put(await ca.issue('spiffe://cluster.local/ns/bar/sa/app'));
    agent = await startBench({ folder, config: { identityFolder: join(folder, 'certs'), namespace: 'foo' } });
    const warning = 'the certificate is of another namespace than the workload';
    await agent.untilLogged(warning);
    await agent.untilReady();
    await put(await ca.issue(id));
    await agent.untilLogged(`identity in service\tspiffeId=${id}`);
    expect(agent.lines.filter((line) => line.includes(warning))).toHaveLength(1);
  });

  test.each([
    ['is not ready, and says why, where every inbound chain needs it', 'OUTBOUND', 503],
    ['stays ready where plaintext is served too', 'INBOUND', 200],
  ])('whose own certificate has expired %s', async (_name, direction, status) => {
    const expired = vi.fn();
    await put(await ca.issue(id, { days: 3 / 86_400 }));
    agent = await startBench({
      folder,
      config: { identityFolder: join(folder, 'certs') },
      sample: { tlsPort: await freePort(), listenerExtras: { traffic_direction: direction } },
      parts: { observers: { certificates: { expired } } },
    });
    await agent.untilReady();
    await agent.untilLogged("error\tcache\tthe workload's certificate expired at");
    const answer = await httpGet(agent.statusPort, '/healthz/ready');
    expect(answer.status).toBe(status);
    if (status === 503)
      expect(answer.body).toMatch(/^the workload's certificate expired at 2.*Z, and every filter chain/);
    expect(expired.mock.calls).toEqual([[false], [true]]);
    await put(await ca.issue(id));
    await eventually(() => expect(expired.mock.calls).toEqual([[false], [true], [false]]));
    await agent.untilReady();
  });

  test('does not start Envoy when the configuration needs an identity and there is none', async () => {
    agent = await startBench({ folder, sample: { tlsPort: await freePort() } });
    await expect(agent.exitCode).rejects.toThrow(/PROV_CERT/);
  });
});

describe('Envoy over the secret service', () => {
  test.each(['GRPC', 'DELTA_GRPC'] as const)(
    'takes, rotates, refuses and recovers over %s, also past a restart',
    async (apiType) => {
      const [adminPort = 0, httpPort = 0, tlsPort = 0] = await freePorts(3);
      const sample = { configPath: folder, adminPort, httpPort, tlsPort, body: '' };
      const files = sampleFiles(sample);
      const written = new ConfigFiles(folder);
      await written.writeAll({
        ...files,
        listeners: fileOfText(files.listeners.text.replaceAll('"GRPC"', `"${apiType}"`)),
      });
      const secrets = async (issued: IssuedCertificate): Promise<readonly DiscoveryResource[]> =>
        secretResources({
          certificateChain: issued.certificateChain,
          privateKey: issued.privateKey,
          rootCertificates: issued.rootCertificate,
        });
      const refusals: string[] = [];
      const observer = { refused: ({ message }: { message: string }) => void refusals.push(message) };
      const service = secretService();
      let server = await startDiscoveryServer(join(folder, 'SDS'), [service], observer);
      const envoy = await spawnEnvoy({
        binary: envoyBinary(),
        args: ['-c', written.bootstrapPath, '--disable-hot-restart', '-l', 'off', '--concurrency', '1'],
      });
      try {
        const served = (issued: IssuedCertificate) =>
          eventually(async () => expect(await serialServed(tlsPort, client)).toBe(serialOf(issued)));
        const [one, two, three] = [await ca.issue(id), await ca.issue(id), await ca.issue(id)] as const;
        service.store.replace(await secrets(one));
        await served(one);
        service.store.replace(await secrets(two));
        await served(two);

        const [identity, root] = await secrets({ ...one, certificateChain: 'garbage' });
        service.store.replace([identity as DiscoveryResource, root as DiscoveryResource]);
        await eventually(() => expect(refusals).toHaveLength(1));
        expect(refusals[0]).not.toContain('PRIVATE KEY');
        await served(two);
        const [, junkRoot] = await secrets({ ...two, rootCertificate: 'junk' });
        service.store.replace([(await secrets(two))[0] as DiscoveryResource, junkRoot as DiscoveryResource]);
        await eventually(() => expect(refusals).toHaveLength(2));
        await served(two);

        await server.close();
        await served(two);
        service.store.replace(await secrets(three));
        server = await startDiscoveryServer(join(folder, 'SDS'), [service], observer);
        await served(three);
        expect(server.activeStreams).toBe(2);
      } finally {
        envoy.signal('SIGKILL');
        await envoy.exited;
        await server.close();
      }
    },
  );
});

function serialOf(issued: IssuedCertificate): string {
  return new X509Certificate(issued.certificateChain).serialNumber;
}

/** Serial number of the certificate that a new TLS connection meets; empty when there is none. */
function serialServed(
  port: number,
  { certificateChain, privateKey, rootCertificate }: IssuedCertificate,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      cert: certificateChain,
      key: privateKey,
      ca: rootCertificate,
      checkServerIdentity: () => undefined,
    });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', () => resolve(''));
  });
}

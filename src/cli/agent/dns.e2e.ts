import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeMesh } from '../../../e2e/testing/describe-mesh.ts';
import { type Lab, openLab } from '../../redirect/testing/lab/lab.ts';
import type { RunningProgram } from '../../testbed/program.ts';
import { repository, scratch } from '../../testbed/sandbox.ts';
import { node, proxyUid } from '../../testbed/sidecar.ts';
import { until } from '../../testbed/until.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { podMesh } from './testing/sample-mesh.ts';

/** The peer's own addresses of the laboratory: the system's DNS servers, and the mesh's. */
const peer = { IPv4: '10.77.0.2', IPv6: 'fd77::2' } as const;
const meshName = 'reviews.shop.svc.cluster.local';

/** Asks one server, as the application; prints the answer, or the name of the failure. */
const client = `
const [server, name, type] = process.argv.slice(1);
const resolver = new (require('node:dns').promises.Resolver)({ timeout: 5000, tries: 1 });
resolver.setServers([server]);
resolver.resolve(name, type).then((found) => console.log(JSON.stringify(found)), ({ code }) => console.log(code));
`;

let lab: Lab;
let agent: RunningProgram;
let peerOutput: string;

async function start(
  program: readonly string[],
  name: string,
  place: Parameters<Lab['sandbox']['start']>[2],
  ready: RegExp,
) {
  const output = join(lab.sandbox.folder, `${name}.log`);
  const started = await lab.sandbox.start(program, output, place);
  const look = async (): Promise<true | undefined> => {
    const text = await readFile(output, 'utf8');
    if (started.exitCode !== undefined) throw new Error(`${name} ended: ${text}`);
    return ready.test(text) ? true : undefined;
  };
  await until(look, { timeoutMs: 60_000, otherwise: () => readFile(output, 'utf8') });
  return started;
}

async function prepare(): Promise<void> {
  const ca = await createMeshCa();
  const server = await ca.issue('spiffe://cluster.local/ns/mesh-system/sa/meshd', { dnsNames: ['dns.mesh.example'] });
  const own = await ca.issue('spiffe://cluster.local/ns/foo/sa/httpbin');
  const files = {
    'home/certs/cert-chain.pem': own.certificateChain,
    'home/certs/key.pem': own.privateKey,
    'home/certs/root-cert.pem': own.rootCertificate,
    'home/mesh/topology.yaml': podMesh('10.77.0.1'),
    'peer/cert-chain.pem': server.certificateChain,
    'peer/key.pem': server.privateKey,
  };
  const { sandbox } = lab;
  await sandbox.must(['mkdir', '-p', ...['home/certs', 'home/mesh', 'peer'].map((name) => `${scratch}/${name}`)]);
  for (const [name, text] of Object.entries(files)) await sandbox.must(['tee', `${scratch}/${name}`], { stdin: text });
  await sandbox.must(['chown', '-R', `${proxyUid}:${proxyUid}`, `${scratch}/home`]);
  await writeFile(join(sandbox.folder, 'resolv.conf'), `nameserver ${peer.IPv4}\nnameserver ${peer.IPv6}\n`);
  await sandbox.must(['mount', '--bind', `${scratch}/resolv.conf`, '/etc/resolv.conf']);
  await sandbox.must(['sh', '-c', `echo '${peer.IPv4} dns.mesh.example' >> /etc/hosts`]);
}

const env = {
  DNS_AGENT: 'on',
  DNS_SERVER: 'tcp-tls:dns.mesh.example:853',
  PROV_CERT: 'certs',
  TERMINATION_DRAIN_DURATION_SECONDS: '3',
};

function proxyCommand(): readonly string[] {
  const binary = process.env.ENVOY_BINARY ?? `${repository}/.tools/bin/envoy`;
  const program = [node, `${repository}/dist/pilot-agent.js`, 'proxy', 'sidecar', '--id', 'httpbin.foo'];
  return [...program, '--policies', 'mesh', '--proxyBinary', binary, '--concurrency', '1'];
}

async function resolve(server: string, name: string, type = 'A'): Promise<unknown> {
  const place = { network: 'workload', uid: 1000 };
  const text = (await lab.sandbox.must([node, '-e', client, server, name, type], place)).trim();
  return text.startsWith('[') ? JSON.parse(text) : text;
}

let failuresBefore = 0;
async function figure(name: string): Promise<number> {
  const argv = ['curl', '-s', 'http://127.0.0.1:15020/stats/prometheus'];
  const lines = (await lab.sandbox.must(argv, { network: 'workload' })).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
}

/** What the peer's servers heard since the test began. */
let heardBefore = 0;
async function heard(): Promise<string[]> {
  return (await readFile(peerOutput, 'utf8')).trim().split('\n').slice(heardBefore);
}

describeMesh('DNS_AGENT', () => {
  beforeAll(async () => {
    lab = await openLab();
    await prepare();
    const servers = [node, `${repository}/src/dns/testing/peer-servers.ts`, `${scratch}/peer`, peer.IPv4, peer.IPv6];
    await start(servers, 'peer', { network: 'peer' }, /^listening$/m);
    peerOutput = join(lab.sandbox.folder, 'peer.log');
    const redirected = await lab.agent(['istio-iptables', '-u', '1337', '-g', '1337', '-i', '*', '-b', ''], { env });
    expect({ ...redirected, stdout: '' }).toMatchObject({ exitCode: 0 });
    const place = { network: 'workload', uid: proxyUid, cwd: `${scratch}/home`, env };
    agent = await start(proxyCommand(), 'agent', place, /"?state"?[=:]"?running/);
    // On a busy machine the first connection to the mesh's server may take longer than a query may.
    const isKnown = async (): Promise<true | undefined> =>
      typeof (await resolve(peer.IPv4, meshName)) === 'string' ? undefined : true;
    await until(isKnown, { timeoutMs: 60_000, otherwise: () => readFile(agent.output, 'utf8') });
    failuresBefore = await figure('mesh_agent_dns_failures_total');
  });
  afterAll(() => lab?.close());
  beforeEach(async () => {
    heardBefore += (await heard()).length;
  });

  test.each(Object.entries(peer))(
    'resolves captured names of the mesh over TLS, and no others (%s)',
    async (_, address) => {
      const server = address.includes(':') ? `[${address}]` : address;
      expect(await resolve(server, meshName)).toEqual(['10.0.0.1']);
      expect(await resolve(server, 'example.com')).toEqual(['192.0.2.1']);
      expect(await heard()).toEqual([`tls stream ${meshName}`, 'plain udp example.com']);
    },
  );

  test('returns the whole of an answer that does not fit into a datagram, without a query in plain text', async () => {
    const [texts] = (await resolve(peer.IPv4, meshName, 'TXT')) as string[][];
    expect(texts?.length).toBe(40);
    expect((await heard()).filter((line) => line.startsWith('plain'))).toEqual([]);
  });

  test('counts queries and failures of the DNS server', async () => {
    expect(await figure('mesh_agent_dns_requests_total')).toBeGreaterThanOrEqual(4);
    expect(await figure('mesh_agent_dns_upstream_requests_total{upstream="tls"}')).toBeGreaterThanOrEqual(2);
    for (const upstream of ['tls', 'plain'])
      expect(await figure(`mesh_agent_dns_upstream_seconds_total{upstream="${upstream}"}`)).toBeGreaterThan(0);
    expect(await figure('mesh_agent_dns_failures_total')).toBe(failuresBefore);
  });

  test('ends the program with an error where the port is taken', async () => {
    const cwd = `${scratch}/second`;
    const script = `mkdir ${cwd}; cp -rp ${scratch}/home/certs ${scratch}/home/mesh ${cwd}; chown ${proxyUid} ${cwd}`;
    await lab.sandbox.must(['sh', '-ec', script]);
    const place = { network: 'workload', uid: proxyUid, cwd, env };
    const { exitCode, stderr } = await lab.sandbox.run(proxyCommand(), place);
    expect({ exitCode, said: /cannot serve DNS on 127\.0\.0\.1 port 15053: .*EADDRINUSE/.test(stderr) }).toEqual({
      exitCode: 3,
      said: true,
    });
  });

  test('is served while Envoy drains, and ends with the agent', async () => {
    await agent.signal('TERM');
    const isDraining = async (): Promise<true | undefined> =>
      (await readFile(agent.output, 'utf8')).includes('draining') || undefined;
    await until(isDraining, { timeoutMs: 60_000, otherwise: () => readFile(agent.output, 'utf8') });
    expect(await resolve(peer.IPv4, 'example.com')).toEqual(['192.0.2.1']);
    expect(agent.exitCode).toBeUndefined();
    expect(await agent.exited).toBe(0);
    expect(await resolve(peer.IPv4, 'example.com')).toBe('ECONNREFUSED');
  });
});

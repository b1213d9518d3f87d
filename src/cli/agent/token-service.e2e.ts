import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestAuthority, type TestAuthority } from '../../identity/testing/test-authority.ts';
import { canaries, startTestCloud, type TestCloud, workloadToken } from '../../sts/testing/test-cloud.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { podMesh } from './testing/sample-mesh.ts';

const token = workloadToken();
const environment = { CLOUD_METADATA: 'p|7|c|z', NODE_EXTRA_CA_CERTS: 'cloud-roots.pem' };
/** From ports of the agent's network to sockets of the test, behind which cloud and authority are. */
const relay = `for (const [port, path] of [[443, 'cloud'], [15012, 'authority']]) require('node:net').createServer((a) => { const b = require('node:net').connect(path); a.pipe(b).pipe(a); a.on('error', () => b.destroy()); b.on('error', () => a.destroy()); }).listen(port, '127.0.0.1')`;
/** The names of the cloud are in a hosts file that only the agent sees. */
const under = ['sh', '-c', 'mount --bind hosts /etc/hosts && exec "$@"', 'sh'];
const hosts = '127.0.0.1 localhost securetoken.googleapis.com iamcredentials.googleapis.com\n';
const form = [
  ...['-d', 'grant_type=urn:ietf:params:oauth:grant-type:token-exchange'],
  ...['-d', 'subject_token_type=urn:ietf:params:oauth:token-type:jwt'],
  ...['-d', `subject_token=${token}`],
];

describe('pilot-agent proxy --stsPort', () => {
  let proxy: ProxyProgram;
  let cloud: TestCloud;
  let authority: TestAuthority | undefined;

  beforeEach(async () => {
    proxy = await ProxyProgram.create(podMesh());
    cloud = await startTestCloud(join(proxy.folder, 'cloud'));
    await proxy.write('cloud-roots.pem', cloud.roots);
    await proxy.write('hosts', hosts);
  });
  afterEach(async () => {
    await proxy.close();
    cloud.close();
    authority?.close();
    authority = undefined;
  });

  const start = (more: Readonly<Record<string, string>>, ...flags: readonly string[]): void =>
    proxy.start({
      args: ['--policies', 'mesh', ...flags],
      environment: { ...environment, ...more },
      prepare: `'${process.execPath}' -e "${relay}" &`,
      under,
    });
  /** Without holding up the cloud, which is in this process. */
  const ask = async (fields: readonly string[]): Promise<readonly [number, string]> => {
    const url = 'http://127.0.0.1:15463/token';
    const answer = await proxy.runBeside(['curl', '-s', '-m', '20', '-w', '\n%{http_code}', ...fields, url]);
    const end = answer.lastIndexOf('\n');
    return [Number(answer.slice(end + 1)), answer.slice(0, end)];
  };
  const figure = (name: string): string | undefined =>
    new RegExp(`^${name}\\{request_type="token_exchange"\\} (\\S+)$`, 'm').exec(
      proxy.curl('http://127.0.0.1:15020/stats/prometheus').body,
    )?.[1];

  test('serves programs beside it, asks the cloud of its variables, counts that, and logs no token', async () => {
    let left = 1;
    cloud.answer = (call) => (left-- > 0 ? { status: 503, body: `later ${canaries.federated}` } : cloud.good(call));
    start(
      { CLOUD_CLUSTER_URL: 'https://cloud.example/c', TRUST_DOMAIN: 'td' },
      ...['--stsPort', '15463', '--log_output_level', 'default:debug,stsserver:debug,stsclient:debug'],
    );
    await proxy.untilReady();
    const [status, body] = await ask(form);
    expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ access_token: canaries.access })]);
    expect(cloud.seen[0]?.body).toContain('"audience":"identitynamespace:td:https://cloud.example/c"');
    expect(cloud.seen[2]?.path).toContain('/service-7@');
    expect(['num_outgoing_requests', 'num_outgoing_retries', 'num_failed_outgoing_requests'].map(figure)).toEqual([
      '1',
      '1',
      '0',
    ]);
    expect(Number(figure('outgoing_latency'))).toBeGreaterThan(0);
    cloud.answer = () => ({ status: 403, body: `no: ${token} ${canaries.federated}` });
    const other = form.map((it) => it.replace(token, workloadToken({ sub: 'other' })));
    expect((await ask(other))[0]).toBe(500);
    expect((await ask(['-d', token]))[0]).toBe(400);
    await proxy.logged(/no token is granted\treason=.*answers 403: no: \[redacted\]/);
    await proxy.logged(/a request for a token is refused/);
    for (const secret of [...Object.values(canaries), ...token.split('.')]) expect(proxy.output).not.toContain(secret);
  });

  test('shows the authority what PLUGINS makes of the token', async () => {
    const ca = await createMeshCa();
    authority = await startTestAuthority({ ca });
    const { port } = authority;
    const door = createServer((inner) => {
      const outer = connect(port, '127.0.0.1');
      inner.pipe(outer).pipe(inner);
      inner.on('error', () => outer.destroy());
      outer.on('error', () => inner.destroy());
    }).listen(join(proxy.folder, 'authority'));
    const secrets = join(proxy.folder, 'var/run/secrets');
    await mkdir(join(secrets, 'mesh'), { recursive: true });
    await mkdir(join(secrets, 'tokens'));
    await writeFile(join(secrets, 'mesh/root-cert.pem'), ca.rootCertificate);
    await writeFile(join(secrets, 'tokens/mesh-token'), token);
    cloud.answer = () => ({ status: 503, body: 'not yet' });
    start({ PROV_CERT: '', CA_ADDR: 'localhost:15012', PLUGINS: 'GoogleTokenExchange' });
    await proxy.logged(/there is no certificate yet: the token is not exchanged: .* answers 503: not yet/);
    expect(authority.seen).toEqual([]);
    cloud.answer = (call) => cloud.good(call);
    await proxy.untilReady();
    expect(authority.seen.map(({ metadata }) => metadata.get('authorization'))).toEqual([
      [`Bearer ${canaries.federated}`],
    ]);
    expect(JSON.parse(cloud.seen.at(-1)?.body ?? '')).toMatchObject({
      audience: expect.stringContaining('/projects/p/locations/z/clusters/c'),
      subjectToken: token,
    });
    await eventually(() => expect(Number(figure('num_outgoing_requests'))).toBeGreaterThan(1));
    for (const secret of [...Object.values(canaries), ...token.split('.')]) expect(proxy.output).not.toContain(secret);
    door.close();
  });

  test('starts nothing when its port is taken', async () => {
    proxy.start({ args: ['--policies', 'mesh', '--stsPort', '15020'], environment });
    expect(await proxy.exit).toBe(3);
    expect(proxy.output).toMatch(/the token port 15020 is taken by .*node/);
    expect(proxy.output).not.toContain('Envoy started');
  });

  test('answers with errors where STS_LENIENT lets it start without CLOUD_METADATA', async () => {
    const args = ['--policies', 'mesh', '--stsPort', '15463', '--ip', 'fd00::7'];
    proxy.start({ args, environment: { STS_LENIENT: 'true' } });
    await proxy.logged(/the token service has no plug-in/);
    await proxy.untilReady();
    expect(proxy.curl('http://[::1]:15463/token', ...form).status).toBe(500);
    expect(proxy.curl('http://127.0.0.1:15463/token').code).toBe(7);
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
  });
});

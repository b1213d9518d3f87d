import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa, type IssuedCertificate } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { gateway, secret, topology } from './testing/gateway-objects.ts';
import { ProxyProgram } from './testing/proxy-program.ts';

/** What must be found nowhere: pieces of a text as it is, and as a Secret holds it. */
function piecesOf(text: string): string[] {
  const body = text.replace(/-----[^-]+-----/g, '').replace(/\s/g, '');
  const encoded = Buffer.from(text).toString('base64');
  return [body, encoded].flatMap((it) => it.match(/.{24}/g) ?? []);
}

const inputs = ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'];
const everything = ['--log_output_level', 'all:debug', '--log_caller', 'all', '--log_stacktrace_level', 'all:debug'];
/** Not signed by anybody. */
const token = [{ alg: 'RS256' }, { sub: 'system:serviceaccount:foo:httpbin', exp: 4_000_000_000 }, { canary: true }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');

describe('the log of pilot-agent proxy', () => {
  let proxy: ProxyProgram;
  beforeEach(async () => {
    proxy = await ProxyProgram.create(topology);
    await proxy.write('mesh/gateway.yaml', gateway);
    await proxy.write('mesh.yaml', 'autoPassthroughGateways: [foo/edge]\n');
  });
  afterEach(() => proxy.close());

  const issue = async (): Promise<IssuedCertificate> =>
    (await createMeshCa()).issue('spiffe://cluster.local/ns/x/sa/y', { dnsNames: ['*.example.com'] });

  test('holds no secret at level debug of every scope, nor do metrics and printed settings', async () => {
    const [good, foreign] = [await issue(), await issue()];
    const ownKey = await proxy.readOwn('certs/key.pem');
    const pair = { certificate: good.certificateChain, key: good.privateKey };
    const broken = secret('broken', { ...pair, key: foreign.privateKey });
    await proxy.write('mesh/secrets.yaml', secret('a', pair) + secret('wide', pair) + broken);
    const logs = ['--log_target', 'stdout', '--log_target', 'log.txt', '--log_rotate', 'rotated.txt'];
    proxy.start({ role: 'router', args: [...inputs, '--proxyLogLevel', 'debug', ...everything, ...logs] });
    await proxy.logged('state=running');

    // Each way of getting a secret wrong, for the message that it brings.
    await proxy.write('certs/key.pem', foreign.privateKey);
    await proxy.logged('the identity is not taken');
    await proxy.write('certs/key.pem', ownKey.replace('BEGIN', 'BEGUN'));
    await proxy.write('certs/key.pem', ownKey.slice(0, 200));
    const unreadable = `${secret('a', pair)}  tls.key: ${Buffer.from(good.privateKey).toString('base64')}\n`;
    await proxy.write('mesh/secrets.yaml', unreadable);
    await proxy.logged('stands twice');
    await proxy.write(
      'mesh/secrets.yaml',
      secret('a', pair)
        .replace(/data:\n/, 'data: ')
        .replace(/ {2}tls/g, 'tls'),
    );
    await proxy.logged('cannot read this as YAML');
    const metrics = proxy.curl('http://127.0.0.1:15020/stats/prometheus').body;
    expect(metrics).toMatch(/^total_pushes [1-9]/m);

    const files = [await proxy.readOwn('log.txt'), await proxy.readOwn('rotated.txt')];
    expect(files[0]).toMatch(/\tdebug\tsds\tsecrets\/identity-service\.ts:\d+\t/);
    const program = resolve(import.meta.dirname, '../../../dist/pilot-agent.js');
    const print = [program, 'proxy', 'router', '--print-config', ...inputs];
    const env = { PATH: process.env.PATH, PROV_CERT: 'certs' };
    const settings = execFileSync(process.execPath, print, { cwd: proxy.folder, env, encoding: 'utf8' });
    expect(settings).toContain('certs');
    const said = [proxy.output, metrics, settings, ...files].join('\n');
    const canaries = [ownKey, good.privateKey, foreign.privateKey].flatMap(piecesOf);
    expect(canaries.length).toBeGreaterThan(10);
    expect(canaries.filter((piece) => said.includes(piece))).toEqual([]);
  });

  test('holds no token of the workload while the authority is asked', async () => {
    const platform = { 'mesh/root-cert.pem': (await createMeshCa()).rootCertificate, 'tokens/mesh-token': token };
    for (const [name, text] of Object.entries(platform)) {
      await proxy.makeFolderOf(`var/run/secrets/${name}`);
      await proxy.write(`var/run/secrets/${name}`, text);
    }
    const environment = { PROV_CERT: '', CA_ADDR: 'localhost:15012' };
    proxy.start({ role: 'router', args: [...inputs, ...everything], environment });
    await proxy.logged(/\tcaclient\t.*there is no certificate yet/);
    await eventually(() => {
      const { body } = proxy.curl('http://127.0.0.1:15020/stats/prometheus');
      expect(body).toMatch(/^num_outgoing_retries\{request_type="csr"\} [1-9]/m);
    });
    const pieces = token.split('.');
    expect(pieces.filter((piece) => proxy.output.includes(piece))).toEqual([]);
  });

  test('loses lines, and no process, to a full disk, and goes on when there is room', async () => {
    await mkdir(join(proxy.folder, 'logs'));
    const disk = 'mount -t tmpfs -o size=64k tmpfs logs && dd if=/dev/zero of=logs/filler bs=64k count=1 status=none';
    proxy.start({
      role: 'router',
      args: [...inputs, '--log_target', 'logs/a.log', '--log_target', 'stdout'],
      prepare: `exec unshare --mount sh -c '${disk} && exec "$@"' sh "$@"`,
    });
    await proxy.logged('state=running');
    expect(proxy.stderr.match(/lines are lost: /g)).toHaveLength(1);
    const { body } = proxy.curl('http://127.0.0.1:15020/stats/prometheus');
    expect(Number(/^mesh_agent_log_lines_lost_total (\d+)$/m.exec(body)?.[1])).toBeGreaterThan(3);
    const seen = (name: string): string => `/proc/${proxy.pid}/root${proxy.folder}/logs/${name}`;
    await rm(seen('filler'));
    await proxy.write('mesh/gateway.yaml', `${gateway}# changed\n`);
    await proxy.logged('the log goes to "logs/a.log" again');
    expect(await readFile(seen('a.log'), 'utf8')).toContain('mesh/gateway.yaml');
  });

  test('may lose its reader, which is reported on standard error', async () => {
    const prepare = 'mkfifo reader; { head -n 1 reader >first-line; } & exec 1>reader';
    proxy.start({ role: 'router', args: inputs, prepare });
    await proxy.untilReady();
    await proxy.logged(/cannot write the log to "stdout", lines are lost: .*EPIPE/);
    expect(proxy.stderr.match(/lines are lost/g)).toHaveLength(1);
    expect(await proxy.readOwn('first-line')).toContain('state=configuring');
  });

  test('goes on in a new file after SIGHUP', async () => {
    proxy.start({ role: 'router', args: [...inputs, '--log_target', 'a.log', '--log_target', 'stdout'] });
    await proxy.logged('state=running');
    await rename(join(proxy.folder, 'a.log'), join(proxy.folder, 'a.log.1'));
    proxy.signal('SIGHUP');
    await eventually(() => proxy.readOwn('a.log'));
    proxy.signal('SIGTERM');
    await proxy.exit;
    expect(await proxy.readOwn('a.log')).toContain('asked to stop');
    expect(await proxy.readOwn('a.log.1')).not.toContain('asked to stop');
  });

  test("is JSON throughout with --log_as_json, Envoy's lines too", async () => {
    proxy.start({ role: 'router', args: [...inputs, '--log_as_json', '--proxyLogLevel', 'info'] });
    await proxy.logged('"state":"running"');
    proxy.signal('SIGTERM');
    await proxy.exit;
    const lines = proxy.output.trimEnd().split('\n');
    const objects = lines.map((line) => JSON.parse(line) as { readonly scope?: string; readonly level: string });
    const scopes = objects.map(({ scope = 'default' }) => scope);
    expect(scopes).toEqual(expect.arrayContaining(['cache', 'default', 'model', 'sds', 'validation', 'envoy main']));
  });
});

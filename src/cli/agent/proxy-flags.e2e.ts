import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram, type StartOptions } from './testing/proxy-program.ts';
import { httpbinDeployment, httpbinPod, httpbinService, namespace, objects, peerMode } from './testing/sample-mesh.ts';

const common = objects(namespace, httpbinService('None'));
const pod = objects(common, httpbinPod('10.1.0.1'));
const deployment = objects(common, httpbinDeployment);

/** What a started Envoy says of itself, and the agent with it. */
interface Seen {
  readonly node: { readonly id: string; readonly cluster: string };
  readonly commandLine: Readonly<Record<string, unknown>>;
  readonly loggers: string;
  readonly config: string;
  readonly log: readonly string[];
}

async function look(proxy: ProxyProgram): Promise<Seen> {
  const admin = (path: string, ...flags: readonly string[]): string =>
    proxy.curl(`http://127.0.0.1:15000/${path}`, ...flags).body;
  const info = JSON.parse(admin('server_info')) as Pick<Seen, 'node'> & { command_line_options: Seen['commandLine'] };
  return {
    node: info.node,
    commandLine: info.command_line_options,
    loggers: admin('logging', '-X', 'POST'),
    config: admin('config_dump'),
    log: proxy.stdout.trimEnd().split('\n'),
  };
}

/** Starts the program, looks, and stops it. */
async function seen(topology: string, options: StartOptions): Promise<Seen & { readonly outliers: boolean }> {
  const proxy = await ProxyProgram.create(topology);
  try {
    proxy.start(options);
    await proxy.untilReady();
    return { ...(await look(proxy)), outliers: existsSync(join(proxy.folder, 'outliers.log')) };
  } finally {
    await proxy.close();
  }
}

type Everything = Awaited<ReturnType<typeof seen>>;

const trustDomains = ({ config }: Everything): readonly string[] => [
  ...new Set([...config.matchAll(/"prefix": "spiffe:\/\/([^/"]+)\/"/g)].map(([, domain = '']) => domain)),
];
const isJson = ({ log }: Everything): boolean => log.every((line) => line.startsWith('{"level":"'));
const level = (logger: string, { loggers }: Everything): string | undefined =>
  new RegExp(`^ +${logger}: (\\w+)$`, 'm').exec(loggers)?.[1];

describe('pilot-agent proxy', () => {
  let bare: Everything;
  let full: Everything;

  beforeAll(async () => {
    bare = await seen(pod, {});
    const flags = {
      '--concurrency': '3',
      '--domain': 'shop.example',
      '--ip': '10.9.9.9',
      '--outlierLogPath': 'outliers.log',
      '--proxyComponentLogLevel': 'upstream:debug',
      '--proxyLogLevel': 'error',
      '--serviceCluster': 'front',
      '--trust-domain': 'shop.example',
    };
    const args = ['--policies', 'mesh', '--log_as_json', ...Object.entries(flags).flat()];
    full = await seen(pod, { args, environment: { INSTANCE_IP: '10.8.8.8' } });
  });

  test.each<[string, (envoy: Everything) => unknown, unknown, unknown]>([
    ['--concurrency', ({ commandLine }) => commandLine.concurrency === 3, false, true],
    ['--domain', ({ node }) => node.id.split('~')[3], 'foo.svc.cluster.local', 'shop.example'],
    ['--ip', ({ node }) => node.id.split('~')[1], '10.1.0.1', '10.9.9.9'],
    ['--outlierLogPath', ({ outliers }) => outliers, false, true],
    ['--outlierLogPath', ({ config }) => /"event_log_path": "(.*)"/.exec(config)?.[1], undefined, 'outliers.log'],
    ['--proxyComponentLogLevel', (envoy) => level('upstream', envoy), 'warning', 'debug'],
    ['--proxyComponentLogLevel', (envoy) => level('misc', envoy), 'error', 'error'],
    ['--proxyLogLevel', (envoy) => level('http', envoy), 'warning', 'error'],
    ['--serviceCluster', ({ node }) => node.cluster, 'mesh-proxy', 'front'],
    ['--trust-domain', trustDomains, ['cluster.local'], ['shop.example']],
    ['--log_as_json', isJson, false, true],
  ])('obeys %s', (_, read, usual, given) => {
    expect([read(bare), read(full)]).toEqual([usual, given]);
  });

  test('takes its address from INSTANCE_IP, and from nothing that is no address', async () => {
    const node = async (INSTANCE_IP: string) => (await seen(pod, { environment: { INSTANCE_IP } })).node.id;
    expect(await node('10.8.8.8')).toBe('sidecar~10.8.8.8~httpbin.foo~foo.svc.cluster.local');
    expect(await node('localhost')).toBe('sidecar~10.1.0.1~httpbin.foo~foo.svc.cluster.local');
  });
});

describe('pilot-agent proxy', () => {
  let proxy: ProxyProgram;
  afterEach(() => proxy?.close());

  test('takes the bootstrap template from --templateFile, and MESH_BOOTSTRAP before it', async () => {
    const ours = await readFile('templates/bootstrap.json.hbs', 'utf8');
    const named = (name: string): string =>
      ours.replace('"static_layer": {', `"static_layer": {"mesh.test": "${name}", `);
    const value = (): unknown => {
      const { body } = proxy.curl('http://127.0.0.1:15000/runtime');
      const { entries } = JSON.parse(body) as { entries: Readonly<Record<string, { readonly final_value: string }>> };
      return entries['mesh.test']?.final_value;
    };
    for (const [environment, expected] of [
      [{}, 'flag'],
      [{ MESH_BOOTSTRAP: 'variable.hbs' }, 'variable'],
    ] as const) {
      await proxy?.close();
      proxy = await ProxyProgram.create(pod);
      await proxy.write('flag.hbs', named('flag'));
      await proxy.write('variable.hbs', named('variable'));
      proxy.start({ args: ['--policies', 'mesh', '--templateFile', 'flag.hbs'], environment });
      await proxy.untilReady();
      expect(value()).toBe(expected);
    }
  });

  test('does not start Envoy with a template that shows its admin interface to the outside', async () => {
    const ours = await readFile('templates/bootstrap.json.hbs', 'utf8');
    const open = '{"socket_address": {"address": "0.0.0.0", "port_value": 15000}}';
    proxy = await ProxyProgram.create(pod);
    await proxy.write('open.hbs', ours.replace('{{> socket-address adminAddress}}', open));
    proxy.start({ args: ['--policies', 'mesh', '--templateFile', 'open.hbs'] });
    expect(await proxy.exit).toBe(1);
    expect(proxy.output).toMatch(/open\.hbs:9:\d+: error: .*the admin interface is at "0\.0\.0\.0"/);
    expect(proxy.envoyPid).toBeUndefined();
  });

  test('obeys --log_output_level and --log_target', async () => {
    proxy = await ProxyProgram.create(pod);
    const targets = ['--log_target', 'stderr', '--log_target', 'stdout', '--log_target', 'stderr'];
    proxy.start({ args: ['--policies', 'mesh', '--log_output_level', 'all:error', ...targets] });
    await proxy.untilReady();
    await proxy.write('mesh/peer.yaml', peerMode('STRICKT'));
    const lines = (text: string): string[] => text.split('\n').filter((line) => /\t(info|warn|error)\t/.test(line));
    await eventually(() => expect(lines(proxy.stderr)).toHaveLength(1));
    expect(proxy.stderr).toContain('the last valid configuration stays in force');
    expect(lines(proxy.stdout)).toEqual(lines(proxy.stderr));
  });

  test('writes its log to stderr alone with --log_target stderr', async () => {
    proxy = await ProxyProgram.create(pod);
    proxy.start({ args: ['--policies', 'mesh', '--log_target', 'stderr'] });
    await eventually(() => expect(proxy.stderr).toContain('state=running'));
    expect(proxy.stdout).toBe('');
  });

  test('listens where the INSTANCE_IP of a workload without addresses is, and holds its policies there', async () => {
    proxy = await ProxyProgram.create(deployment);
    // What leads inbound IPv6 to the proxy, for calls from inside the namespace; its own calls come from ::6.
    const prepare = [
      'ip addr add fd00::7/128 dev lo nodad',
      'ip addr add ::6/128 dev lo nodad',
      'ip6tables -t nat -A OUTPUT ! -s ::6/128 -d fd00::7/128 -p tcp --dport 8000 -j REDIRECT --to-ports 15006',
      '{ python3 -m http.server 8000 --bind fd00::7 >/dev/null 2>&1 & }',
    ].join(' && ');
    proxy.start({ prepare, environment: { INSTANCE_IP: 'fd00::7' } });
    const status = (): number => proxy.curl('http://[fd00::7]:8000/').status;
    await eventually(() => expect(status()).toBe(200), { interval: 100 });
    expect(proxy.curl('http://[::1]:15000/server_info').body).toContain('sidecar~fd00::7~httpbin.foo~');
    await proxy.write('mesh/peer.yaml', peerMode('STRICT'));
    await proxy.logged('in force');
    await eventually(() => expect(proxy.curl('http://[fd00::7]:8000/').code).toBe(56));
  });
});

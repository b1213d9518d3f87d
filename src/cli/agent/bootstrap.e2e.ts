import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { badOverrides, refusedByEnvoy } from './testing/bad-overrides.ts';
import { ProxyProgram, type StartOptions } from './testing/proxy-program.ts';
import { podMesh } from './testing/sample-mesh.ts';

interface ServerInfo {
  readonly node: {
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly locality: Readonly<Record<string, string>>;
  };
  readonly command_line_options: Readonly<Record<string, unknown>>;
}

let proxy: ProxyProgram;
afterEach(() => proxy?.close());

async function started(options: StartOptions, files: Readonly<Record<string, string>> = {}): Promise<ServerInfo> {
  proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
  for (const [name, text] of Object.entries(files)) {
    await proxy.makeFolderOf(name);
    await proxy.write(name, text);
  }
  proxy.start(options);
  await proxy.untilReady();
  return JSON.parse(proxy.curl('http://127.0.0.1:15000/server_info').body) as ServerInfo;
}

const ownBootstrap = async (): Promise<Readonly<Record<string, never>>> =>
  JSON.parse(await proxy.read('bootstrap.json')) as Readonly<Record<string, never>>;

describe('pilot-agent proxy', () => {
  test('puts what the machine says into the bootstrap', async () => {
    const environment = {
      MESH_META_CLUSTER_ID: 'west',
      MESH_METAJSON_EXTRA: '{"OWNER":"team-a"}',
      MESH_CPU_LIMIT: '1',
      INSTANCE_IP: '10.9.9.9',
    };
    const { node, command_line_options } = await started(
      { environment },
      { 'etc/mesh/pod/labels': 'mesh-locality="west.1.a"\nversion="v2"\npod-template-hash="x"\n' },
    );
    expect(node.metadata).toMatchObject({
      CLUSTER_ID: 'west',
      OWNER: 'team-a',
      INSTANCE_IPS: '10.9.9.9,10.1.0.1',
      NAME: 'httpbin',
      MESH_VERSION: expect.stringMatching(/^\d/),
      PROXY_CONFIG: { proxyAdminPort: 15000 },
    });
    expect(node.metadata.LABELS).toEqual({ app: 'httpbin', 'mesh-locality': 'west.1.a', version: 'v2' });
    expect(node.locality).toEqual({ region: 'west', zone: '1', sub_zone: 'a' });
    expect(command_line_options.concurrency).toBe(1);
  });

  test('starts Envoy with the override laid over the bootstrap', async () => {
    const override = `
node: {metadata: {TEAM: a}}
staticResources:
  listeners:
  - name: mine
    address: {socketAddress: {address: 127.0.0.1, portValue: 17000}}
    filterChains:
    - filters:
      - name: tcp
        typedConfig:
          "@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
          statPrefix: mine
          cluster: agent
`;
    const { node } = await started(
      { environment: { MESH_BOOTSTRAP_OVERRIDE: 'mine.yaml' } },
      { 'mine.yaml': override },
    );
    expect(node.metadata).toMatchObject({ TEAM: 'a', NAMESPACE: 'foo' });
    expect(proxy.curl('http://127.0.0.1:17000/healthz/ready').status).toBe(200);
    expect(JSON.stringify(await ownBootstrap())).toContain('"mine"');

    // A change of it waits for the next start; a bad one harms nobody.
    await proxy.write('mine.yaml', override.replace('TEAM: a', 'TEAM: b'));
    await proxy.logged(/bootstrap has changed; that takes effect when the agent starts again/);
    await proxy.write('mine.yaml', 'admin: {address: {pipe: {path: /tmp/x}}}\n');
    await proxy.logged(/mine\.yaml:1:\d+: error: .*moves admin\.address/);
    expect(proxy.curl('http://127.0.0.1:15021/healthz/ready').status).toBe(200);
  });

  test('starts Envoy with what a bootstrap of the user says, as it was checked, and leaves the file alone', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    proxy.start({});
    await proxy.untilReady();
    const text = (await proxy.read('bootstrap.json')).replace('"sidecar~', '"mine~');
    await proxy.close();

    const config = 'defaultConfig: {customConfigFile: custom.json}\n';
    const args = ['--policies', 'mesh', '--meshConfig', 'mesh.yaml', '--templateFile', 'unused.hbs'];
    await started({ args }, { 'custom.json': text, 'mesh.yaml': config });
    const { command_line_options, node } = JSON.parse(
      proxy.curl('http://127.0.0.1:15000/server_info').body,
    ) as ServerInfo & { readonly node: { readonly id: string } };
    // Not the file itself, which may change between the check and a start.
    expect(command_line_options.config_path).toBe('etc/mesh/proxy/bootstrap.json');
    expect(await ownBootstrap()).toEqual(JSON.parse(text));
    expect(node.id).toMatch(/^mine~/);
    expect(proxy.output).toMatch(/templates that are not used\tnamed=--templateFile/);
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(await proxy.readOwn('custom.json')).toBe(text);
  });
});

describe('a bad bootstrap', () => {
  beforeEach(async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
  });

  const ended = async (environment: Readonly<Record<string, string>>, args = ['--policies', 'mesh']) => {
    proxy.start({ environment, args });
    return { code: await proxy.exit, output: proxy.output, envoy: proxy.envoyPid };
  };

  test('ends the agent with 1 before Envoy is started, for each kind of fault', async () => {
    const seen: object[] = [];
    for (const { name, text, line } of badOverrides) {
      await proxy.write('bad.yaml', text);
      const { code, output, envoy } = await ended({ MESH_BOOTSTRAP_OVERRIDE: 'bad.yaml' });
      seen.push({ name, code, envoy, isPlaced: output.includes(`bad.yaml:${line}:`) });
    }
    expect(seen).toEqual(badOverrides.map(({ name }) => ({ name, code: 1, envoy: undefined, isPlaced: true })));
  });

  test.each(refusedByEnvoy)('ends the agent with 1 when Envoy does not validate $name', async ({ text, reason }) => {
    await proxy.write('bad.yaml', text);
    const { code, output, envoy } = await ended({ MESH_BOOTSTRAP_OVERRIDE: 'bad.yaml' });
    expect({ code, envoy }).toEqual({ code: 1, envoy: undefined });
    expect(output).toMatch(reason);
  });

  test('ends the agent with 3 when a file that a setting names is not there', async () => {
    const { code, output, envoy } = await ended({ MESH_BOOTSTRAP_OVERRIDE: 'absent.yaml' });
    expect({ code, envoy }).toEqual({ code: 3, envoy: undefined });
    expect(output).toContain('cannot read "absent.yaml", which MESH_BOOTSTRAP_OVERRIDE names');
  });

  test('ends the agent with 1 when node metadata is no JSON', async () => {
    const { code, output } = await ended({ MESH_METAJSON_X: '{' });
    expect(code).toBe(1);
    expect(output).toContain('variable MESH_METAJSON_X cannot be node metadata: its value is not JSON');
  });
});

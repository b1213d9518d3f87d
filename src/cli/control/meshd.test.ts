import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../config/read.ts';
import { variables } from '../../config/variables.ts';
import { parseAddress } from '../../control/server/address.ts';
import { otlpVariables } from '../../control/trace/otlp-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { kubeconfigText } from '../../testing/kubernetes/kubeconfig-text.ts';
import { runInProcess } from '../testing/run-in-process.ts';
import { controlConfigOf } from './config.ts';
import type { ServeFlags } from './flags.ts';
import { runMeshd } from './meshd.ts';

const run = (line: string, environment?: Readonly<Record<string, string>>) => runInProcess(runMeshd, line, environment);

describe('runMeshd', () => {
  test('prints its help, with defaults and every variable that counts', async () => {
    const { code, stdout } = await run('serve --help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/--monitoringAddr <host:port>[^-]*\(default: :15014\)/);
    const named = new Set(stdout.match(/^ {2}[A-Z][A-Z_]+/gm)?.map((name) => name.trim()));
    expect(named.has('TRUST_DOMAIN') && named.has('PILOT_CERT_PROVIDER')).toBe(true);
    const known = new Set<string>([...variables, ...otlpVariables].map(({ name }) => name));
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
  });

  test('prints its version', async () => {
    expect(await run('version -s')).toMatchObject({ code: 0, stdout: 'unknown\n' });
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['sevre', {}, /^meshd: unknown command "sevre", did you mean "serve"\?/],
    ['serve --lisen :1', {}, /^meshd: unknown option '--lisen'\n\(Did you mean --listen\?\)/],
    ['serve --listen 15012', {}, /host:port, \[ipv6\]:port or :port is expected/],
    ...['meshConfig', 'caFolder', 'tokenIssuerRoots', 'tokenKeys'].map(
      (name): [string, Readonly<Record<string, string>>, RegExp] => [
        `serve --${name}=`,
        {},
        /Expected a path: an empty text names no file and no folder/,
      ],
    ),
    ...['trust-domain', 'tokenIssuer', 'tokenAudience'].map(
      (name): [string, Readonly<Record<string, string>>, RegExp] => [
        `serve --${name}=`,
        {},
        /an empty text names nothing/,
      ],
    ),
    ['serve --csrRate 0', {}, /a whole number from 1 on is expected/],
    ['serve --caKeyAlgorithm DSA', {}, /Allowed choices are ECDSA, RSA/],
    ['serve now', {}, /too many arguments for 'serve'/],
    ['serve', { ENABLE_CA_SERVER: 'maybe' }, /^meshd: ENABLE_CA_SERVER is "true" or "false", not "maybe"/],
    ['serve', { JWT_POLICY: 'some' }, /^meshd: JWT_POLICY is "third-party-jwt", "first-party-jwt", "none", not "some"/],
    ['serve --tokenKeys x', { JWT_POLICY: 'none' }, /^meshd: JWT_POLICY=none takes no tokens, but/],
    ['serve', { MESH_GPRC_MAXRECVMSGSIZE: '4 MiB' }, /^meshd: MESH_GPRC_MAXRECVMSGSIZE is a whole number from 1 on/],
    ['serve', { MESH_GPRC_MAXSTREAMS: '0' }, /^meshd: MESH_GPRC_MAXSTREAMS is a whole number from 1 on, not "0"/],
    ['serve', { MESHD_CUSTOM_HOST: 'a b' }, /^meshd: "a b" is no name for a server certificate/],
    ['serve', { PILOT_CERT_PROVIDER: 'kubernetes' }, /^meshd: not supported: PILOT_CERT_PROVIDER=kubernetes/],
    ['serve', { PILOT_CERT_PROVIDER: 'custom' }, /^meshd: PILOT_CERT_PROVIDER=custom needs PILOT_CERT_DIR/],
    [
      'serve --config .',
      { PILOT_ENABLE_CRD_VALIDATION: 'true' },
      /^meshd: PILOT_ENABLE_CRD_VALIDATION has an effect with --kubernetes alone/,
    ],
    [
      'serve',
      { DNS_ADDR: ':53', INJECTION_WEBHOOK_CONFIG_NAME: 'a' },
      /^meshd: not supported yet: DNS_ADDR, INJECTION_WEBHOOK_CONFIG_NAME\n$/,
    ],
    ['serve', { CENTRAL_ISTIOD: 'maybe' }, /^meshd: CENTRAL_ISTIOD is "true" or "false", not "maybe"/],
    ['serve', { NAMESPACE: 'a', MESH_NAMESPACE: 'b' }, /^meshd: NAMESPACE is "a", and MESH_NAMESPACE "b"/],
    [
      'serve --config .',
      { PILOT_ENABLE_STATUS: 'true' },
      /^meshd: PILOT_ENABLE_STATUS has an effect with --kubernetes alone/,
    ],
    [
      'serve --kubernetes',
      { PILOT_STATUS_QPS: '5' },
      /^meshd: PILOT_STATUS_QPS has an effect with PILOT_ENABLE_STATUS or/,
    ],
    [
      'serve --kubernetes',
      { PILOT_ENABLE_STATUS: 'true', PILOT_STATUS_QPS: '0.0' },
      /^meshd: PILOT_STATUS_QPS is a number above 0, not "0.0"/,
    ],
    ['serve', { PILOT_ENABLE_ANALYSIS: 'true' }, /^meshd: PILOT_ENABLE_ANALYSIS has an effect with --kubernetes alone/],
    ['serve', { PILOT_ENABLE_STATUS: 'maybe' }, /^meshd: PILOT_ENABLE_STATUS is "true" or "false"/],
    ['serve --config .', { OTEL_EXPORTER_OTLP_ENDPOINT: 'host:4318' }, /^meshd: OTEL_EXPORTER_OTLP_ENDPOINT is a URL/],
    ['serve --git .', {}, /^meshd: --git needs --rev, for example --rev main/],
    ['serve --rev main', {}, /^meshd: --rev has an effect with --git alone/],
    ['serve --git . --rev main --config .', {}, /^meshd: --config and --git are places of one mesh/],
    ['serve --git . --rev main --kubernetes', {}, /^meshd: --git and --kubernetes are places of one mesh/],
    ['serve --git . --rev main~1', {}, /HEAD, a branch, a tag, the full name of a reference.* is expected/],
    ['serve --git . --rev main:../x', {}, /a folder of the revision, without ".." is expected/],
    [
      'serve --git . --rev main',
      { ENABLE_CA_SERVER: 'false' },
      /--config, --git and --kubernetes need the TLS listener/,
    ],
    ['serve --config . --debugAddr :15013', {}, /^meshd: --debugAddr needs --tokenIssuer or --tokenKeys/],
    [
      'serve --tokenKeys k --debugAddr :15013',
      {},
      /^meshd: --debugAddr has an effect with --config, --git or --kubernetes alone/,
    ],
    ['serve --tokenIssuer kubernetes', {}, /^meshd: --tokenIssuer is a URL where no --tokenKeys are given/],
    ['serve --listen :0', { ENABLE_CA_SERVER: 'false' }, /^meshd: --listen needs a certificate/],
  ])('refuses %j with %j with 2', async (line, environment, message) => {
    const { code, stderr } = await run(line, environment);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  test.each<[string, Readonly<Record<string, string>>, number, RegExp]>([
    ['serve --meshConfig /no/such/file', {}, 3, /cannot read the mesh configuration "\/no\/such\/file"/],
    ['serve --caFolder /dev/null/x --monitoringAddr 127.0.0.1:0', {}, 3, /authority in "\/dev\/null\/x": /],
    ['serve --caFolder /proc/ca --monitoringAddr 127.0.0.1:0', {}, 3, /authority in "\/proc\/ca": /],
    ['serve', { TRUST_DOMAIN: 'a b' }, 1, /^$/],
    ['serve --git /proc --rev main', {}, 3, /^meshd: "\/proc" is no git repository$/m],
    [
      'serve --git /no/such --rev main',
      {},
      3,
      /^meshd: cannot open the repository "\/no\/such": no such file or directory/,
    ],
  ])('answers %j with %j by its exit code %d', async (line, environment, expected, message) => {
    const { code, stderr } = await run(line, environment);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });
});

describe('controlConfigOf', () => {
  const usual: ServeFlags = {
    monitoringAddr: { host: '', port: 15014 },
    caKeyAlgorithm: 'ECDSA',
    csrRate: 50,
    csrBurst: 1000,
  };
  const configOf = async (environment: Readonly<Record<string, string>>, flags: Partial<ServeFlags> = {}) => {
    const { settings } = await readSettings({ environment }, new DiagnosticBag());
    return controlConfigOf({ ...usual, ...flags }, settings, environment);
  };
  const services = ['meshd', 'istiod', 'istiod-remote', 'istio-pilot'].map((name) => `${name}.mesh-system.svc`);

  test('serves on 15012 with the usual names, where nothing is said', async () => {
    expect((await configOf({})).secure).toEqual({
      address: { host: '', port: 15012 },
      certificate: { names: services, outputFolder: undefined },
      maxMessageBytes: 4_194_304,
      maxStreams: 100_000,
    });
  });

  test.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{ MESHD_ADDR: 'meshd.mesh-system.svc:15012' }, services],
    [
      { MESHD_ADDR: '10.0.0.1:15012', MESHD_CUSTOM_HOST: 'a.example.com, b.example.com' },
      ['10.0.0.1', 'a.example.com', 'b.example.com', ...services],
    ],
    [{ MESHD_ADDR: '[fd00::1]:15012' }, ['fd00::1', ...services]],
    [{ NAMESPACE: 'here' }, services.map((name) => name.replace('mesh-system', 'here'))],
    [{ MESH_NAMESPACE: 'here' }, services.map((name) => name.replace('mesh-system', 'here'))],
  ])('takes the names of %j', async (environment, names) => {
    expect((await configOf(environment)).secure?.certificate.names).toEqual(names);
  });

  test('has no TLS listener where MESHD_ADDR is set and empty, but where --listen asks for it', async () => {
    expect((await configOf({ MESHD_ADDR: '' })).secure).toBeUndefined();
    expect((await configOf({ MESHD_ADDR: '' }, { listen: { host: '', port: 1 } })).secure?.address.port).toBe(1);
  });

  test('has neither authority nor listener where ENABLE_CA_SERVER is false, but with a certificate of the operator', async () => {
    expect(await configOf({ ENABLE_CA_SERVER: 'false' })).toMatchObject({ authority: undefined, secure: undefined });
    const own = await configOf({ ENABLE_CA_SERVER: 'false', PILOT_CERT_PROVIDER: 'custom', PILOT_CERT_DIR: '/certs' });
    expect(own.secure?.certificate).toEqual({ folder: '/certs' });
  });

  test.each<[Readonly<Record<string, string>>, object]>([
    [{ PILOT_CERT_DIR: '/certs' }, { outputFolder: '/certs' }],
    [{ PILOT_CERT_PROVIDER: './here' }, { folder: './here' }],
    [{ PILOT_CERT_PROVIDER: 'custom', PILOT_CERT_DIR: '/certs' }, { folder: '/certs' }],
  ])('keeps its certificate where %j says', async (environment, expected) => {
    expect((await configOf(environment)).secure?.certificate).toMatchObject(expected);
  });

  test.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{}, ['Cluster', 'Kubernetes']],
    [{ CLUSTER_ID: 'east' }, ['east']],
  ])('knows its cluster by %j', async (environment, expected) => {
    expect((await configOf(environment)).authority?.clusterIds).toEqual(expected);
  });

  test('takes limits of the listener, and the trust domain, from variables', async () => {
    const config = await configOf({ MESH_GPRC_MAXRECVMSGSIZE: '1000', MESH_GPRC_MAXSTREAMS: '7', TRUST_DOMAIN: 'td' });
    expect(config).toMatchObject({ trustDomain: 'td', secure: { maxMessageBytes: 1000, maxStreams: 7 } });
  });

  test('writes the status of objects where variables ask for it, no more often than they say', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'meshd-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(6443, '-----BEGIN CERTIFICATE-----', 'token'));
    const flags = { kubernetes: true, kubeconfig } as const;
    const sourceOf = async (environment: Readonly<Record<string, string>>) =>
      (await configOf(environment, flags)).distribution?.compile.source;
    expect(await sourceOf({})).toMatchObject({ type: 'cluster', status: undefined });
    expect(await sourceOf({ PILOT_ENABLE_STATUS: 'true' })).toMatchObject({
      status: { reconciliation: true, analysis: false, rate: { perSecond: 100, burst: 500 } },
    });
    const slow = { PILOT_ENABLE_STATUS: '1', PILOT_STATUS_QPS: '0.5', PILOT_STATUS_BURST: '3' };
    expect(await sourceOf(slow)).toMatchObject({ status: { rate: { perSecond: 0.5, burst: 3 } } });
    expect(await sourceOf({ PILOT_ENABLE_ANALYSIS: 'true' })).toMatchObject({
      status: { reconciliation: false, analysis: true },
    });
    expect((await configOf({ NAMESPACE: 'here' }, flags)).replica).toMatchObject({ namespace: 'here' });
    rmSync(folder, { recursive: true });
  });

  test('has tokens by issuer or by file, for two audiences, by the policy', async () => {
    expect((await configOf({})).authority?.tokens).toBeUndefined();
    expect((await configOf({ JWT_POLICY: 'none' })).authority?.tokens).toBeUndefined();
    expect(
      (await configOf({ JWT_POLICY: 'first-party-jwt' }, { tokenIssuer: 'https://issuer' })).authority?.tokens,
    ).toMatchObject({
      issuer: 'https://issuer',
      keyFile: undefined,
      audiences: ['mesh-ca', 'istio-ca'],
      isFirstParty: true,
    });
    expect((await configOf({}, { tokenKeys: 'keys', tokenAudience: ['a'] })).authority?.tokens).toMatchObject({
      issuer: undefined,
      keyFile: 'keys',
      audiences: ['a'],
      isFirstParty: false,
    });
  });

  test.each<[Readonly<Record<string, string>>, Partial<ServeFlags>, object | undefined]>([
    [{}, {}, undefined],
    [{}, { kubernetes: true }, { audiences: ['mesh-ca', 'istio-ca'], isFirstParty: false }],
    [
      { JWT_POLICY: 'first-party-jwt' },
      { kubernetes: true, tokenAudience: ['a'] },
      { audiences: ['a'], isFirstParty: true },
    ],
    [{ JWT_POLICY: 'none' }, { kubernetes: true }, undefined],
  ])('has tokens verified by the API server, with %j and %j', async (environment, flags, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'meshd-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(6443, '-----BEGIN CERTIFICATE-----', 'token'));
    const isOn = flags.kubernetes === true;
    const given = isOn ? { ...flags, kubeconfig } : flags;
    const config = await configOf(environment, given);
    expect(config.authority?.reviews).toEqual(expected);
    expect(config.rootNamespaces).toEqual(isOn ? [] : undefined);
    const some = isOn && (await configOf({}, { ...given, watchNamespaces: ['foo'] }));
    if (some) expect(some.rootNamespaces).toEqual(['foo', 'mesh-system']);
    rmSync(folder, { recursive: true });
  });
});

test.each([
  [':15012', { host: '', port: 15012 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['[::1]:1', { host: '::1', port: 1 }],
  ['localhost:80', { host: 'localhost', port: 80 }],
  ['localhost', undefined],
  ['::1:80', undefined],
  ['[localhost]:80', undefined],
  [':65536', undefined],
  [':-1', undefined],
])('parseAddress reads %s', (text, expected) => {
  expect(parseAddress(text)).toEqual(expected);
});

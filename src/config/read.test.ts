import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { readSettings, type SettingsOptions } from './read.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'settings-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(text: string | undefined, options: Partial<SettingsOptions> = {}) {
  const bag = new DiagnosticBag();
  const path = join(folder, 'mesh.yaml');
  if (text !== undefined) writeFileSync(path, text);
  const meshConfig = text === undefined ? undefined : { path, isRequired: true };
  const { settings, hasAnnotations } = await readSettings({ meshConfig, environment: {}, ...options }, bag);
  return { settings, bag, path, hasAnnotations };
}

describe('readSettings', () => {
  test('takes every field of the mesh configuration that becomes a setting', async () => {
    const { settings, bag } = await read(`
rootNamespace: root
trustDomain: td.example
trustDomainAliases: [old.example]
clusterDomain: mesh.example
clusterId: east
enableAutoMtls: false
outboundTrafficPolicy: {mode: REGISTRY_ONLY}
connectTimeout: 2s
dnsRefreshRate: 1m
tcpKeepalive: {probes: 3, time: 60s, interval: 10s}
h2UpgradePolicy: UPGRADE
proxyListenPort: 1
proxyInboundListenPort: 2
defaultServiceExportTo: ["."]
defaultVirtualServiceExportTo: ["."]
defaultDestinationRuleExportTo: ["."]
pathNormalization: {normalization: MERGE_SLASHES}
inboundDelivery: LOCALHOST
accessLogFile: /dev/stdout
accessLogFormat: '{"protocol": "%PROTOCOL%"}'
accessLogEncoding: JSON
enableTracing: false
localityLbSetting: {enabled: false}
protocolDetectionTimeout: 100ms
terminationDrain: graceful
configSources: [{address: "fs:///etc/policies"}]
defaultConfig: {configPath: ./run, proxyAdminPort: 15100, concurrency: 3, drainDuration: 9s}
`);
    expect(bag.all).toEqual([]);
    expect(settings).toMatchObject({
      rootNamespace: 'root',
      trustDomain: 'td.example',
      trustDomainAliases: ['old.example'],
      clusterDomain: 'mesh.example',
      clusterId: 'east',
      autoMtls: false,
      outboundTrafficPolicy: 'REGISTRY_ONLY',
      connectTimeoutMs: 2000,
      dnsRefreshRateMs: 60_000,
      tcpKeepalive: { probes: 3, timeSeconds: 60, intervalSeconds: 10 },
      h2UpgradePolicy: 'UPGRADE',
      proxyListenPort: 1,
      proxyInboundListenPort: 2,
      defaultServiceExportTo: ['.'],
      defaultVirtualServiceExportTo: ['.'],
      defaultDestinationRuleExportTo: ['.'],
      pathNormalization: 'MERGE_SLASHES',
      inboundDelivery: 'LOCALHOST',
      accessLogFile: '/dev/stdout',
      accessLogFormat: '{"protocol": "%PROTOCOL%"}',
      accessLogEncoding: 'JSON',
      enableTracing: false,
      localityLoadBalancing: false,
      outboundDetectionTimeoutMs: 100,
      configSources: ['fs:///etc/policies'],
      proxy: {
        configPath: './run',
        adminPort: 15100,
        concurrency: 3,
        drainDurationMs: 9000,
        terminationDrain: 'graceful',
      },
    });
  });

  test('prefers flag to annotation, annotation to variable, variable to file, and says which it used', async () => {
    const text =
      'trustDomain: file.example\ndefaultConfig: {serviceCluster: file, proxyAdminPort: 1, statusPort: 1, configPath: f}\n';
    const { settings, path } = await read(text, {
      environment: {
        TRUST_DOMAIN: 'variable.example',
        PROXY_CONFIG: '{serviceCluster: variable, proxyAdminPort: 2, statusPort: 2}',
      },
      annotation: 'serviceCluster: annotation\nproxyAdminPort: 3\n',
      flags: { serviceCluster: 'flag' },
    });
    expect(settings.trustDomain).toBe('variable.example');
    expect(settings.proxy).toMatchObject({ serviceCluster: 'flag', adminPort: 3, statusPort: 2, configPath: 'f' });
    expect(settings.origins).toMatchObject({
      trustDomain: { source: 'variable', detail: 'TRUST_DOMAIN' },
      'proxy.serviceCluster': { source: 'flag', detail: '--serviceCluster' },
      'proxy.adminPort': { source: 'annotation', detail: 'annotation proxy.mesh.io/config:2' },
      'proxy.statusPort': { source: 'variable', detail: '$PROXY_CONFIG:1' },
      'proxy.configPath': { source: 'file', detail: `${path}:2` },
    });
  });

  test('takes annotations from the file of the pod, under the names of Istio too', async () => {
    const podInfo = mkdtempSync(join(folder, 'pod-'));
    const lines = [
      'proxy.mesh.io/config="proxyAdminPort: 15200\\nserviceCluster: annotation\\n"',
      'sidecar.istio.io/discoveryAddress="control.example:15012"',
      'status.sidecar.mesh.io/port="15400"',
    ];
    writeFileSync(join(podInfo, 'annotations'), `${lines.join('\n')}\n`);
    const environment = { PROXY_CONFIG: '{proxyAdminPort: 15100, statusPort: 15300}' };
    const { settings, bag } = await read(undefined, { podInfo, environment });
    expect(bag.all).toEqual([]);
    expect(settings.proxy).toMatchObject({
      adminPort: 15200,
      serviceCluster: 'annotation',
      discoveryAddress: 'control.example:15012',
      statusPort: 15400,
    });
    expect(settings.origins).toMatchObject({
      'proxy.adminPort': { source: 'annotation', detail: 'annotation proxy.mesh.io/config:1' },
      'proxy.statusPort': { source: 'annotation', detail: 'annotation status.sidecar.mesh.io/port' },
    });
  });

  test.each([
    ['proxy.mesh.io/config=unquoted', 'invalid-pod-info'],
    ['proxy.mesh.io/config="statusPort: x"', 'wrong-type'],
    ['status.sidecar.mesh.io/port="none"', 'invalid-proxy-setting'],
    ['status.sidecar.mesh.io/port="65536"', 'invalid-proxy-setting'],
    ['sidecar.mesh.io/discoveryAddress="control.example"', 'invalid-proxy-setting'],
  ])('refuses the annotation %s', async (line, code) => {
    const podInfo = mkdtempSync(join(folder, 'pod-'));
    writeFileSync(join(podInfo, 'annotations'), `${line}\n`);
    const { bag } = await read(undefined, { podInfo });
    expect(bag.all.map((it) => [it.code, it.severity])).toEqual([[code, 'error']]);
  });

  test('reads a mesh configuration behind tens of thousands of blank lines and comments at once', async () => {
    const startedAt = performance.now();
    const { settings } = await read(`${'\n # x\n'.repeat(40_000)}trustDomain: far.example`);
    expect(settings.trustDomain).toBe('far.example');
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('refuses a mesh configuration of more than 256 KiB, which would hold up the agent while it is read', async () => {
    const { bag } = await read(`trustDomain: far.example\n${'- a: b\n'.repeat(40_000)}`);
    expect(bag.all.map(({ code, hint }) => [code, hint])).toEqual([
      ['file-too-large', expect.stringContaining('settings alone')],
    ]);
  });

  test('says whether the pod has a file of annotations', async () => {
    const podInfo = mkdtempSync(join(folder, 'pod-'));
    expect((await read(undefined, { podInfo })).hasAnnotations).toBe(false);
    writeFileSync(join(podInfo, 'annotations'), '');
    expect((await read(undefined, { podInfo })).hasAnnotations).toBe(true);
  });

  test('lets a variable for one setting override the same setting in PROXY_CONFIG', async () => {
    const { settings } = await read('terminationDrain: plain\n', {
      environment: {
        PROXY_CONFIG: '{terminationDrainDuration: 9s, terminationDrain: plain}',
        TERMINATION_DRAIN_DURATION_SECONDS: '7',
        MESH_TERMINATION_DRAIN: 'graceful',
      },
    });
    expect(settings.proxy).toMatchObject({ terminationDrainDurationMs: 7000, terminationDrain: 'graceful' });
  });

  test('refuses a MESH_TERMINATION_DRAIN that is none', async () => {
    const { bag } = await read(undefined, { environment: { MESH_TERMINATION_DRAIN: 'slow' } });
    expect(bag.all.map(({ message }) => message)).toEqual([
      'variable MESH_TERMINATION_DRAIN is "slow", expected "plain" or "graceful"',
    ]);
  });

  test.each([
    ['drainDuration: 1500ms', 'drainDuration', '1.5s', 'whole seconds, at most 1h'],
    ['terminationDrainDuration: 3601s', 'terminationDrainDuration', '3601s', 'whole seconds, at most 1h'],
    ['discoveryAddress: control', 'discoveryAddress', 'control', 'host:port'],
    ['discoveryAddress: "fd00::1:15012"', 'discoveryAddress', 'fd00::1:15012', 'host:port'],
    ['proxyAdminPort: 15001', 'proxyAdminPort', '15001', 'a port that Envoy does not listen on'],
    ['statusPort: 15021', 'statusPort', '15021', 'a port that Envoy does not listen on'],
    ['statusPort: 15000', 'statusPort', '15000', 'another port than proxyAdminPort'],
  ])('refuses %s, and says where it stands', async (line, name, value, expected) => {
    const { bag, path } = await read(`defaultConfig:\n  ${line}\n`);
    expect(bag.all.map(({ message }) => message)).toEqual([
      `"${name}" is "${value}" (from ${path}:2), expected ${expected}`,
    ]);
  });

  test('takes what keeps those rules', async () => {
    const { bag } = await read(
      'defaultConfig: {drainDuration: 1h, statusPort: 0, discoveryAddress: "[fd00::1]:15012", proxyAdminPort: 1}\n',
    );
    expect(bag.all).toEqual([]);
  });

  test('reports an unknown field of the mesh configuration with its place', async () => {
    const { bag } = await read('trustDomian: x\n');
    expect(bag.all.map(({ code, hint }) => [code, hint])).toEqual([['unknown-field', 'did you mean "trustDomain"?']]);
  });

  test('reads where load goes by locality, and holds it to the rules that a policy keeps', async () => {
    const shares = (text: string) => read(`localityLbSetting: {distribute: [{from: eu, to: {${text}}}]}\n`);
    const { settings } = await shares('eu: 80, us: 20');
    expect(settings.localityRules).toEqual({ distribute: [{ from: 'eu', to: { eu: 80, us: 20 } }] });
    expect((await shares('eu: 80')).bag.all.map(({ code }) => code)).toEqual(['locality-weight-total-not-100']);
  });

  test('takes an empty mesh configuration for none', async () => {
    const { settings, bag } = await read('# nothing yet\n');
    expect(bag.all).toEqual([]);
    expect(settings).toEqual((await read(undefined)).settings);
  });

  test('throws for a file that the user named and that is not there, not for the default one', async () => {
    const options = { meshConfig: { path: join(folder, 'absent'), isRequired: true }, environment: {} };
    await expect(readSettings(options, new DiagnosticBag())).rejects.toThrow('cannot read the mesh configuration');
    const optional = { ...options, meshConfig: { ...options.meshConfig, isRequired: false } };
    expect((await readSettings(optional, new DiagnosticBag())).settings.trustDomain).toBe('cluster.local');
  });

  test.each(['Cluster.Local', 'a/b', 'a b', ''])('refuses %j as a trust domain alias', async (alias) => {
    const { bag } = await read(`trustDomainAliases: [${JSON.stringify(alias)}]\n`);
    expect(bag.hasErrors).toBe(true);
  });
});

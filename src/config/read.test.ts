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
  const { settings } = await readSettings({ meshConfig, environment: {}, ...options }, bag);
  return { settings, bag, path };
}

describe('readSettings', () => {
  test('takes every field of the mesh configuration that becomes a setting', async () => {
    const { settings, bag } = await read(`
rootNamespace: root
trustDomain: td.example
trustDomainAliases: [old.example]
clusterDomain: mesh.example
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

  test('lets flag go before annotation, annotation before variable, variable before file, and says which it was', async () => {
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

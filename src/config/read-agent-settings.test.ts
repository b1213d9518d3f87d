import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { agentVariables } from './agent-variables.ts';
import { ownVariables } from './own-variables.ts';
import { readAgentSettings } from './read-agent-settings.ts';

function read(environment: Readonly<Record<string, string>>) {
  const bag = new DiagnosticBag();
  const settings = readAgentSettings(environment, bag);
  return { settings, told: bag.all.map(({ severity, message }) => `${severity}: ${message}`) };
}

/** `authority.address` of the settings. */
function at(settings: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], settings);
}

const metadata = { projectId: 'p', projectNumber: '7', clusterName: 'c', clusterZone: 'z' };

describe('readAgentSettings', () => {
  const rows: readonly (readonly [string, string, unknown, unknown])[] = [
    ['CA_ADDR', 'ca.example:15012', undefined, 'ca.example:15012'],
    ['CA_PROVIDER', 'CloudCA', 'BuiltinCA', 'CloudCA'],
    ['DNS_AGENT', 'on', '', 'on'],
    ['DNS_SERVER', 'tcp-tls:dns.example:853', undefined, 'dns.example:853'],
    ['ECC_SIGNATURE_ALGORITHM', 'ECDSA', 'RSA', 'ECDSA'],
    ['ENABLE_INGRESS_GATEWAY_SDS', 'true', false, true],
    ['CLOUD_METADATA', 'p|7|c|z', undefined, metadata],
    ['CLOUD_CLUSTER_URL', 'https://cloud.example/c', undefined, 'https://cloud.example/c'],
    ['INGRESS_GATEWAY_FALLBACK_SECRET', 'spare', 'gateway-fallback', 'spare'],
    ['INGRESS_GATEWAY_NAMESPACE', 'edge', undefined, 'edge'],
    ['INITIAL_BACKOFF_MSEC', '250', 0, 250],
    ['INSTANCE_IP', 'fd00::7', undefined, 'fd00::7'],
    ['MESH_BOOTSTRAP', '/etc/t.hbs', undefined, '/etc/t.hbs'],
    ['MESH_BOOTSTRAP_OVERRIDE', '/etc/o.json', undefined, '/etc/o.json'],
    ['MESH_APP_PROBERS', '{}', undefined, '{}'],
    ['MESH_META_CLUSTER_ID', 'east', '', 'east'],
    ['MESH_NAMESPACE', 'control', 'mesh-system', 'control'],
    ['MESH_METRICS_ANNOTATIONS', '{}', undefined, '{}'],
    ['JWT_POLICY', 'first-party-jwt', 'third-party-jwt', 'first-party-jwt'],
    ['NAMESPACE', 'ca', 'mesh-system', 'ca'],
    ['OUTPUT_CERTS', '/certs', undefined, '/certs'],
    ['PILOT_CERT_PROVIDER', 'kubernetes', 'meshd', 'kubernetes'],
    ['PKCS8_KEY', '1', false, true],
    ['PLUGINS', 'CloudTokenExchange, ,other', [], ['CloudTokenExchange', 'other']],
    ['POD_NAME', 'p', '', 'p'],
    ['POD_NAMESPACE', 'n', '', 'n'],
    ['PROV_CERT', '/prov', undefined, '/prov'],
    ['SECRET_GRACE_PERIOD_RATIO', '0.25', 0.5, 0.25],
    ['SECRET_ROTATION_CHECK_INTERVAL', '10s', 300_000, 10_000],
    ['SECRET_TTL', '1h30m', 86_400_000, 5_400_000],
    ['SECRET_WATCHER_RESYNC_PERIOD', '2m', 0, 120_000],
    ['STALED_CONNECTION_RECYCLE_RUN_INTERVAL', '30s', 300_000, 30_000],
    ['STS_LENIENT', 'true', false, true],
    ['SERVICE_ACCOUNT', 'web', undefined, 'web'],
    ['REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION', 'true', false, true],
    ['EXIT_ON_ZERO_ACTIVE_CONNECTIONS', 'true', false, true],
    ['MINIMUM_DRAIN_DURATION', '2s', 5_000, 2_000],
    ['TERMINATION_GRACE_PERIOD_SECONDS', '30', undefined, 30_000],
    ['MESH_RESTART_POLICY', 'on-failure', 'never', 'on-failure'],
    ['PILOT_DEBOUNCE_AFTER', '1s', 100, 1_000],
    ['PILOT_DEBOUNCE_MAX', '1m', 10_000, 60_000],
    ['PILOT_ENABLED_SERVICE_APIS', 'true', false, true],
    ['NOTIFY_SOCKET', '/run/notify', undefined, '/run/notify'],
  ];

  test.each(rows)('%s=%s becomes a setting, with its origin', (name, text, usual, value) => {
    const { setting = '' } = [...agentVariables, ...ownVariables].find((variable) => variable.name === name)!;
    const { settings, told } = read({ [name]: text });
    expect([at(read({}).settings, setting), at(settings, setting)]).toEqual([usual, value]);
    expect(settings.origins[setting]).toEqual({ source: 'variable', detail: name });
    expect(told).toEqual([]);
  });

  test('reads every variable of the agent', () => {
    expect(rows.map(([name]) => name)).toEqual(expect.arrayContaining(agentVariables.map(({ name }) => name)));
    const { origins } = read({}).settings;
    expect(Object.keys(origins)).toEqual(expect.arrayContaining(agentVariables.map(({ setting }) => setting)));
  });

  test.each([
    ['CA_ADDR', 'ca.example', 'host:port'],
    ['CA_ADDR', 'ca.example:0', 'host:port'],
    ['CA_ADDR', 'fd00::7:15012', 'host:port'],
    ['JWT_POLICY', 'thirdparty', '"third-party-jwt", "first-party-jwt", "none"'],
    ['PILOT_CERT_PROVIDER', 'vault', '"meshd", "kubernetes", "custom", "istiod"'],
    ['ECC_SIGNATURE_ALGORITHM', 'P256', '"ECDSA"'],
    ['PKCS8_KEY', 'yes', '"true" or "false"'],
    ['PKCS8_KEY', '', '"true" or "false"'],
    ['ENABLE_INGRESS_GATEWAY_SDS', 'on', '"true" or "false"'],
    ['PILOT_ENABLED_SERVICE_APIS', 'yes', '"true" or "false"'],
    ['SECRET_GRACE_PERIOD_RATIO', '1.5', 'a number from 0 to 1'],
    ['SECRET_GRACE_PERIOD_RATIO', '-0.1', 'a number from 0 to 1'],
    ['SECRET_GRACE_PERIOD_RATIO', 'NaN', 'a number from 0 to 1'],
    ['SECRET_TTL', '0', 'a duration over 0, such as "24h" or "1m30s"'],
    ['SECRET_TTL', '24', 'a duration over 0, such as "24h" or "1m30s"'],
    ['SECRET_ROTATION_CHECK_INTERVAL', '-5m', 'a duration over 0, such as "24h" or "1m30s"'],
    ['CLOUD_METADATA', 'p|7|c', 'project id|project number|cluster name|cluster zone'],
    ['CLOUD_METADATA', 'p|7|c|z|', 'project id|project number|cluster name|cluster zone'],
    ['CLOUD_CLUSTER_URL', 'cloud.example', 'a URL'],
    ['DNS_SERVER', 'dns.example:853', 'tcp-tls:host:port'],
  ])('refuses %s=%s, on which security depends', (name, text, expected) => {
    expect(read({ [name]: text }).told).toEqual([`error: variable ${name} is "${text}", expected ${expected}`]);
  });

  test.each([
    ['INITIAL_BACKOFF_MSEC', '-1', 'a whole number from 0', '0'],
    ['MESH_RESTART_POLICY', 'sometimes', '"never", "on-failure", "always"', 'never'],
    ['TERMINATION_GRACE_PERIOD_SECONDS', '30s', 'a whole number from 0', 'empty'],
    ['INSTANCE_IP', '10.0.0.1 fd00::7', 'one IP address', 'empty'],
    ['SECRET_WATCHER_RESYNC_PERIOD', 'soon', 'a duration such as "5s" or "1m30s"', 'empty'],
    ['STALED_CONNECTION_RECYCLE_RUN_INTERVAL', '-1s', 'a duration such as "5s" or "1m30s"', '5m0s'],
  ])('warns of %s=%s and takes the default', (name, text, expected, usual) => {
    const { settings, told } = read({ [name]: text });
    expect(told).toEqual([
      `warning: variable ${name} is "${text}", expected ${expected}: the default (${usual}) is used`,
    ]);
    expect(settings).toEqual(read({}).settings);
  });

  test('distinguishes an empty MESH_METRICS_ANNOTATIONS from an absent one', () => {
    expect(read({ MESH_METRICS_ANNOTATIONS: '' }).settings.metricsAnnotations).toBe('');
  });

  test('takes the default of 5 minutes for a STALED_CONNECTION_RECYCLE_RUN_INTERVAL of 0', () => {
    expect(read({ STALED_CONNECTION_RECYCLE_RUN_INTERVAL: '0' }).settings.secrets.staleCheckMs).toBe(300_000);
  });
});

import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { SettingsDraft } from './draft.ts';
import { applyEnvironment, type Environment } from './environment.ts';

function settingsOf(environment: Environment) {
  const draft = new SettingsDraft();
  const bag = new DiagnosticBag();
  applyEnvironment(draft, environment, bag);
  return { settings: draft.finish(), codes: bag.all.map(({ code, severity }) => `${code} ${severity}`) };
}

describe('applyEnvironment', () => {
  test.each([
    ['PILOT_ENABLE_PROTOCOL_SNIFFING_FOR_INBOUND', 'false', 'sniffInbound', false],
    ['PILOT_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND', 'F', 'sniffOutbound', false],
    ['PILOT_INBOUND_PROTOCOL_DETECTION_TIMEOUT', '300ms', 'inboundDetectionTimeoutMs', 300],
    ['PILOT_HTTP10', '1', 'http10', true],
    ['PILOT_ENABLE_HEADLESS_SERVICE_POD_LISTENERS', 'false', 'headlessPodListeners', false],
    ['PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES', 'true', 'edsForHeadless', true],
    ['PILOT_ENABLE_KVSTORE_FILTER', 'true', 'redisProxy', true],
    ['PILOT_ENABLE_RPC_FILTER', 'true', 'thriftProxy', true],
    ['PILOT_INITIAL_FETCH_TIMEOUT', '2s', 'initialFetchTimeoutMs', 2000],
    ['PILOT_SIDECAR_USE_REMOTE_ADDRESS', 'true', 'sidecarUseRemoteAddress', true],
    ['MESH_DEFAULT_REQUEST_TIMEOUT', '1m30s', 'defaultRequestTimeoutMs', 90_000],
    ['PILOT_TRACE_SAMPLING', '0.25', 'traceSamplingPercent', 0.25],
    ['PILOT_ENABLE_SERVICEENTRY_SELECT_PODS', 'false', 'serviceEntriesSelectPods', false],
    ['PILOT_USE_ENDPOINT_SLICE', 'true', 'useEndpointSlice', true],
    ['PILOT_SKIP_VALIDATE_TRUST_DOMAIN', 'true', 'skipValidateTrustDomain', true],
    ['PILOT_SCOPE_GATEWAY_TO_NAMESPACE', 'true', 'scopeGatewayToNamespace', true],
    ['PILOT_FILTER_GATEWAY_CLUSTER_CONFIG', 'true', 'filterGatewayClusters', true],
    ['PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE', 'true', 'virtualServiceDelegates', true],
    ['TRUST_DOMAIN', 'td.example', 'trustDomain', 'td.example'],
  ] as const)('%s=%s becomes %s', (name, text, setting, value) => {
    const { settings, codes } = settingsOf({ [name]: text });
    expect(settings[setting]).toBe(value);
    expect(settings.origins[setting]).toEqual({ source: 'variable', detail: name });
    expect(codes).toEqual([]);
  });

  test('warns of a negative drain, and takes the default', () => {
    const { settings, codes } = settingsOf({ TERMINATION_DRAIN_DURATION_SECONDS: '-5' });
    expect(settings.proxy.terminationDrainDurationMs).toBe(5_000);
    expect(codes).toEqual(['ignored-variable warning']);
  });

  test.each([
    [{ INTERCEPTION_MODE: 'TPROXY' }, 'TPROXY'],
    [{ MESH_META_INTERCEPTION_MODE: 'TPROXY' }, 'TPROXY'],
    [{ MESH_META_INTERCEPTION_MODE: 'TPROXY', INTERCEPTION_MODE: 'REDIRECT' }, 'REDIRECT'],
    [{ INTERCEPTION_MODE: '' }, 'REDIRECT'],
  ])('takes the interception mode from %j', (environment, mode) => {
    const { settings, codes } = settingsOf(environment);
    expect({ mode: settings.proxy.interceptionMode, codes }).toEqual({ mode, codes: [] });
  });

  test('refuses an interception mode that it does not know', () => {
    expect(settingsOf({ INTERCEPTION_MODE: 'tproxy' }).codes).toEqual(['invalid-variable error']);
  });

  test('takes the drain from TERMINATION_DRAIN_DURATION_SECONDS', () => {
    expect(settingsOf({ TERMINATION_DRAIN_DURATION_SECONDS: '7' }).settings.proxy.terminationDrainDurationMs).toBe(
      7000,
    );
  });

  test('uses the default with a warning where no access depends on the value', () => {
    const { settings, codes } = settingsOf({ PILOT_HTTP10: 'yes', PILOT_TRACE_SAMPLING: '101' });
    expect(settings.http10).toBe(false);
    expect(codes).toEqual(['ignored-variable warning', 'ignored-variable warning']);
  });

  test('refuses an unreadable value where access depends on it, also an empty one', () => {
    const environment = { PILOT_SKIP_VALIDATE_TRUST_DOMAIN: 'yes', PILOT_ENABLE_PROTOCOL_SNIFFING_FOR_INBOUND: '' };
    expect(settingsOf(environment).codes).toEqual(['invalid-variable error', 'invalid-variable error']);
  });

  test.each(['PILOT_ENABLE_RELATIONALDB_FILTER'])('refuses %s when it is switched on, by name', (name) => {
    expect(settingsOf({ [name]: 'true' }).codes).toEqual(['unsupported-variable error']);
    expect(settingsOf({ [name]: 'false' }).codes).toEqual([]);
  });

  test('leaves the settings alone for PILOT_ENABLE_TCP_METADATA_EXCHANGE, which a stock Envoy cannot do', () => {
    const { settings, codes } = settingsOf({ PILOT_ENABLE_TCP_METADATA_EXCHANGE: 'true' });
    expect(settings).toEqual(settingsOf({}).settings);
    expect(codes).toEqual([]);
  });
});

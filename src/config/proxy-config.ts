import type { JsonObject, JsonValue } from '../source/document.ts';
import type { SettingsDraft } from './draft.ts';
import { milliseconds, strings } from './field.ts';
import { readGatewayTopology } from './gateway-topology.ts';
import type { ProxySettings, SettingOrigin, TracerSettings } from './settings.ts';

type Setter = (draft: SettingsDraft, value: JsonValue, origin: SettingOrigin) => void;

/** Fields of ProxyConfig that become settings; the schema has checked types and ranges. */
const setters: Readonly<Record<string, Setter>> = {
  configPath: scalar('configPath', String),
  binaryPath: scalar('binaryPath', String),
  serviceCluster: scalar('serviceCluster', String),
  drainDuration: scalar('drainDurationMs', milliseconds),
  terminationDrainDuration: scalar('terminationDrainDurationMs', milliseconds),
  terminationDrain: scalar('terminationDrain', (value) => (value === 'graceful' ? 'graceful' : 'plain')),
  proxyAdminPort: scalar('adminPort', Number),
  statusPort: scalar('statusPort', Number),
  concurrency: scalar('concurrency', Number),
  interceptionMode: scalar('interceptionMode', (value) => (value === 'TPROXY' ? 'TPROXY' : 'REDIRECT')),
  gatewayTopology: scalar('gatewayTopology', (value) => readGatewayTopology(value as JsonObject)),
  discoveryAddress: scalar('discoveryAddress', String),
  outlierLogPath: scalar('outlierLogPath', String),
  customConfigFile: scalar('customConfigFile', String),
  proxyBootstrapTemplatePath: scalar('bootstrapTemplatePath', String),
  metricsListener: scalar('metricsListener', (value) => (value === 'LOOPBACK' ? 'LOOPBACK' : 'WILDCARD')),
  tracing: (draft, value, origin) => {
    const { sampling, ...collectors } = value as JsonObject;
    if (typeof sampling === 'number') draft.set('traceSamplingPercent', sampling, origin);
    const [kind, collector] = Object.entries(collectors)[0] ?? [];
    const tracer =
      kind === undefined ? undefined : { kind: kind as TracerSettings['kind'], address: addressOf(collector ?? {}) };
    draft.setProxy('tracer', tracer, origin);
  },
  statsdUdpAddress: scalar('statsdAddress', String),
  envoyMetricsService: scalar('metricsServiceAddress', addressOf),
  envoyAccessLogService: scalar('accessLogServiceAddress', addressOf),
  extraStatTags: scalar('extraStatTags', strings),
  proxyStatsMatcher: (draft, value, origin) => {
    const matcher = value as JsonObject;
    if (matcher.inclusionPrefixes) draft.setProxy('statsInclusionPrefixes', strings(matcher.inclusionPrefixes), origin);
    if (matcher.inclusionSuffixes) draft.setProxy('statsInclusionSuffixes', strings(matcher.inclusionSuffixes), origin);
    if (matcher.inclusionRegexps) draft.setProxy('statsInclusionRegexps', strings(matcher.inclusionRegexps), origin);
  },
  proxyMetadata: (draft, value, origin) => {
    const entries = Object.entries(value as JsonObject).map(([key, text]) => [key, String(text)] as const);
    for (const [key] of entries) draft.setMetadataOrigin(key, origin);
    draft.setProxy('proxyMetadata', { ...draft.proxy.proxyMetadata, ...Object.fromEntries(entries) }, origin);
  },
};

/** Whether a field of ProxyConfig has an effect; injection reads `holdApplicationUntilProxyStarts`. */
export function isProxySetting(field: string): boolean {
  return field === 'holdApplicationUntilProxyStarts' || Object.hasOwn(setters, field);
}

/**
 * Lays one ProxyConfig document over the draft: fields that it names replace, `proxyMetadata` merges key by key.
 * `originOf` says where a field stands.
 */
export function applyProxyConfig(
  draft: SettingsDraft,
  config: JsonObject,
  originOf: (field: string) => SettingOrigin,
): void {
  for (const [field, value] of Object.entries(config)) {
    if (value !== null) setters[field]?.(draft, value, originOf(field));
  }
}

function addressOf(collector: JsonValue): string {
  return String((collector as JsonObject).address ?? '');
}

function scalar<K extends keyof ProxySettings>(key: K, read: (value: JsonValue) => ProxySettings[K]): Setter {
  return (draft, value, origin) => draft.setProxy(key, read(value), origin);
}

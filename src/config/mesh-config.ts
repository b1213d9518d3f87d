import type { LocalityLoadBalancing } from '../policy/destination-rule.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { defaultSettings } from './defaults.ts';
import type { SettingsDraft } from './draft.ts';
import { extensionProvider } from './extension-provider.ts';
import { milliseconds, strings } from './field.ts';
import { applyProxyConfig } from './proxy-config.ts';
import type {
  GatewayLimits,
  InjectionChoice,
  KeepaliveSettings,
  PathNormalization,
  SettingOrigin,
  Settings,
} from './settings.ts';

type Setter = (draft: SettingsDraft, value: JsonValue, origin: SettingOrigin) => void;

/** Fields of the mesh configuration that become settings; the schema has checked types and ranges. */
const setters: Readonly<Record<string, Setter>> = {
  rootNamespace: scalar('rootNamespace', String),
  trustDomain: scalar('trustDomain', String),
  trustDomainAliases: scalar('trustDomainAliases', strings),
  clusterDomain: scalar('clusterDomain', String),
  clusterId: scalar('clusterId', String),
  enableAutoMtls: scalar('autoMtls', Boolean),
  outboundTrafficPolicy: scalar('outboundTrafficPolicy', (value) =>
    (value as JsonObject).mode === 'REGISTRY_ONLY' ? 'REGISTRY_ONLY' : 'ALLOW_ANY',
  ),
  connectTimeout: scalar('connectTimeoutMs', milliseconds),
  dnsRefreshRate: scalar('dnsRefreshRateMs', milliseconds),
  tcpKeepalive: scalar('tcpKeepalive', keepalive),
  h2UpgradePolicy: scalar('h2UpgradePolicy', (value) => (value === 'UPGRADE' ? 'UPGRADE' : 'DO_NOT_UPGRADE')),
  proxyListenPort: scalar('proxyListenPort', Number),
  proxyInboundListenPort: scalar('proxyInboundListenPort', Number),
  defaultServiceExportTo: scalar('defaultServiceExportTo', strings),
  defaultVirtualServiceExportTo: scalar('defaultVirtualServiceExportTo', strings),
  defaultDestinationRuleExportTo: scalar('defaultDestinationRuleExportTo', strings),
  pathNormalization: scalar('pathNormalization', (value) => normalization((value as JsonObject).normalization)),
  inboundDelivery: scalar('inboundDelivery', (value) => (value === 'LOCALHOST' ? 'LOCALHOST' : 'POD_ADDRESS')),
  accessLogFile: scalar('accessLogFile', String),
  accessLogFormat: scalar('accessLogFormat', String),
  accessLogEncoding: scalar('accessLogEncoding', (value) => (value === 'JSON' ? 'JSON' : 'TEXT')),
  enableEnvoyAccessLogService: scalar('accessLogService', Boolean),
  enableTracing: scalar('enableTracing', Boolean),
  localityLbSetting: (draft, value, origin) => {
    const { enabled, ...rules } = value as LocalityLoadBalancing & JsonObject;
    draft.set('localityLoadBalancing', enabled !== false, origin);
    draft.set('localityRules', rules, origin);
  },
  protocolDetectionTimeout: scalar('outboundDetectionTimeoutMs', milliseconds),
  gatewayLimits: (draft, value, origin) =>
    draft.set('gatewayLimits', { ...defaultSettings.gatewayLimits, ...gatewayLimits(value as JsonObject) }, origin),
  autoPassthroughGateways: scalar('autoPassthroughGateways', strings),
  jwksAllowedHosts: scalar('jwksAllowedHosts', strings),
  allowedLocalEndpoints: scalar('allowedLocalEndpoints', strings),
  allowedProxyPortHosts: scalar('allowedProxyPortHosts', (value) => strings(value).map((host) => host.toLowerCase())),
  extensionProviders: scalar('extensionProviders', (value) => (value as readonly JsonObject[]).map(extensionProvider)),
  // Its other fields are read by the room of that name.
  injection: scalar('injection', (value) => {
    const { policy, neverInjectSelector, alwaysInjectSelector } = value as Partial<InjectionChoice>;
    return {
      policy: policy ?? defaultSettings.injection.policy,
      neverInjectSelector: neverInjectSelector ?? [],
      alwaysInjectSelector: alwaysInjectSelector ?? [],
    };
  }),
  terminationDrain: (draft, value, origin) =>
    draft.setProxy('terminationDrain', value === 'graceful' ? 'graceful' : 'plain', origin),
  configSources: scalar('configSources', (value) =>
    (value as readonly JsonObject[]).map((source) => String(source.address)),
  ),
};

/** Whether a field of the mesh configuration has an effect. */
export function isMeshSetting(field: string): boolean {
  return field === 'defaultConfig' || Object.hasOwn(setters, field);
}

/** Lays a mesh configuration document over the draft; its `defaultConfig` is a ProxyConfig of its own. */
export function applyMeshConfig(
  draft: SettingsDraft,
  config: JsonObject,
  originOf: (path: readonly string[]) => SettingOrigin,
): void {
  for (const [field, value] of Object.entries(config)) {
    if (value !== null) setters[field]?.(draft, value, originOf([field]));
  }
  if (config.defaultConfig) {
    applyProxyConfig(draft, config.defaultConfig as JsonObject, (field) => originOf(['defaultConfig', field]));
  }
}

function scalar<K extends keyof Settings>(key: K, read: (value: JsonValue) => Settings[K]): Setter {
  return (draft, value, origin) => draft.set(key, read(value), origin);
}

function keepalive(value: JsonValue): KeepaliveSettings {
  const { probes, time, interval } = value as JsonObject;
  return {
    ...(probes === undefined ? {} : { probes: Number(probes) }),
    ...(time === undefined ? {} : { timeSeconds: Math.round(milliseconds(time) / 1000) }),
    ...(interval === undefined ? {} : { intervalSeconds: Math.round(milliseconds(interval) / 1000) }),
  };
}

const gatewayTimes = {
  requestHeadersTimeout: 'requestHeadersTimeoutMs',
  requestTimeout: 'requestTimeoutMs',
  streamIdleTimeout: 'streamIdleTimeoutMs',
  idleTimeout: 'idleTimeoutMs',
  handshakeTimeout: 'handshakeTimeoutMs',
} as const;
const gatewayCounts = {
  maxHeadersCount: 'maxHeaders',
  maxConcurrentStreams: 'maxConcurrentStreams',
  connectionBufferBytes: 'connectionBufferBytes',
} as const;

function gatewayLimits(value: JsonObject): Partial<GatewayLimits> {
  const set = <K extends string>(keys: Readonly<Record<string, K>>, read: (value: JsonValue) => number) =>
    Object.entries(keys).flatMap(([field, key]) => {
      const found = value[field];
      return found === undefined || found === null ? [] : [[key, read(found)] as const];
    });
  return Object.fromEntries([...set(gatewayTimes, milliseconds), ...set(gatewayCounts, Number)]);
}

/** DEFAULT stands for the product's default, the strictest level. */
function normalization(value: JsonValue | undefined): PathNormalization {
  switch (value) {
    case 'NONE':
    case 'BASE':
    case 'MERGE_SLASHES':
      return value;
    default:
      return 'DECODE_AND_MERGE_SLASHES';
  }
}

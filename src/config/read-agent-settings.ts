import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { isHostAndPort, plainAddress } from './address.ts';
import type {
  AgentSettings,
  AuthoritySettings,
  CertificateSettings,
  CloudMetadata,
  CloudSettings,
  LifeSettings,
  ReloadSettings,
  SecretSettings,
} from './agent-settings.ts';
import { agentVariables } from './agent-variables.ts';
import type { Environment } from './environment.ts';

import { ownVariables } from './own-variables.ts';
import { parseTokenPolicy } from './token-policy.ts';
import {
  oneOf,
  type ParsedVariable,
  parseBoolean,
  parseDurationVariable,
  parseFloat64,
  parseWholeNumber,
} from './variable.ts';
import { VariableReader } from './variable-reader.ts';

/** What the variables say to the agent (specification, "Limits"); mistakes go to the bag, with the variable's name. */
export function readAgentSettings(environment: Environment, bag: DiagnosticBag): AgentSettings {
  const reader = new VariableReader([...agentVariables, ...ownVariables], environment, bag);
  return {
    podName: reader.read('POD_NAME', text),
    podNamespace: reader.read('POD_NAMESPACE', text),
    serviceAccount: reader.read('SERVICE_ACCOUNT', optionalText),
    instanceIp: reader.read('INSTANCE_IP', optional(address)),
    meshNamespace: reader.read('MESH_NAMESPACE', text) || 'mesh-system',
    authority: authority(reader),
    certificates: certificates(reader),
    secrets: secrets(reader),
    cloud: cloud(reader),
    life: life(reader),
    reload: reload(reader),
    readsGatewayApi: reader.read('PILOT_ENABLED_SERVICE_APIS', parseBoolean),
    discoveryCacheMaxAgeMs: reader.read('MESH_DISCOVERY_CACHE_MAX_AGE', positiveDuration),
    dnsAgent: reader.read('DNS_AGENT', text),
    dnsServer: reader.read('DNS_SERVER', optional(secureDnsServer)),
    cpuLimit: reader.read('MESH_CPU_LIMIT', notNegativeNumber) || undefined,
    bootstrapTemplate: reader.read('MESH_BOOTSTRAP', optionalText),
    bootstrapOverride: reader.read('MESH_BOOTSTRAP_OVERRIDE', optionalText),
    appProbers: reader.read('MESH_APP_PROBERS', optionalText),
    metricsAnnotations: metricsAnnotations(reader, environment),
    probesLocalhost: reader.read('REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION', parseBoolean),
    origins: reader.origins,
  };
}

function authority(reader: VariableReader): AuthoritySettings {
  return {
    address: reader.read('CA_ADDR', optional(hostAndPort)),
    provider: reader.read('CA_PROVIDER', text),
    certificateProvider: reader.read(
      'PILOT_CERT_PROVIDER',
      oneOf({ meshd: 'meshd', kubernetes: 'kubernetes', custom: 'custom', istiod: 'meshd' }),
    ),
    namespace: reader.read('NAMESPACE', text),
    clusterId: reader.read('MESH_META_CLUSTER_ID', text),
    tokenPolicy: reader.read('JWT_POLICY', parseTokenPolicy),
    initialBackoffMs: reader.read('INITIAL_BACKOFF_MSEC', parseWholeNumber),
  };
}

function certificates(reader: VariableReader): CertificateSettings {
  return {
    keyAlgorithm: reader.read('ECC_SIGNATURE_ALGORITHM', oneOf({ '': 'RSA', ECDSA: 'ECDSA' })),
    isPkcs8: reader.read('PKCS8_KEY', parseBoolean),
    lifetimeMs: reader.read('SECRET_TTL', positiveDuration),
    graceRatio: reader.read('SECRET_GRACE_PERIOD_RATIO', ratio),
    checkIntervalMs: reader.read('SECRET_ROTATION_CHECK_INTERVAL', positiveDuration),
    outputFolder: reader.read('OUTPUT_CERTS', optionalText),
    provisionedFolder: reader.read('PROV_CERT', optionalText),
  };
}

function secrets(reader: VariableReader): SecretSettings {
  return {
    // As in Istio, 0 asks for the default.
    staleCheckMs: reader.read('STALED_CONNECTION_RECYCLE_RUN_INTERVAL', parseDurationVariable) || 300_000,
    isGatewayEnabled: reader.read('ENABLE_INGRESS_GATEWAY_SDS', parseBoolean),
    gatewayNamespace: reader.read('INGRESS_GATEWAY_NAMESPACE', optionalText),
    fallbackSecret: reader.read('INGRESS_GATEWAY_FALLBACK_SECRET', text),
    resyncMs: reader.read('SECRET_WATCHER_RESYNC_PERIOD', optional(parseDurationVariable)) ?? 0,
  };
}

function cloud(reader: VariableReader): CloudSettings {
  return {
    metadata: reader.read('CLOUD_METADATA', optional(cloudMetadata)),
    clusterUrl: reader.read('CLOUD_CLUSTER_URL', optional(webAddress)),
    plugins: reader.read('PLUGINS', list),
    isLenient: reader.read('STS_LENIENT', parseBoolean),
  };
}

function life(reader: VariableReader): LifeSettings {
  return {
    endsDrainEarly: reader.read('EXIT_ON_ZERO_ACTIVE_CONNECTIONS', parseBoolean),
    minimumDrainMs: reader.read('MINIMUM_DRAIN_DURATION', parseDurationVariable),
    terminationGraceMs: reader.read('TERMINATION_GRACE_PERIOD_SECONDS', optional(wholeSeconds)),
    restartPolicy: reader.read(
      'MESH_RESTART_POLICY',
      oneOf({ never: 'never', 'on-failure': 'on-failure', always: 'always' }),
    ),
    notifySocket: reader.read('NOTIFY_SOCKET', optionalText),
  };
}

function reload(reader: VariableReader): ReloadSettings {
  return {
    debounceMs: reader.read('PILOT_DEBOUNCE_AFTER', parseDurationVariable),
    debounceMaxMs: reader.read('PILOT_DEBOUNCE_MAX', parseDurationVariable),
  };
}

/** Present but empty is a value here, and a wrong one: its reader says so. */
function metricsAnnotations(reader: VariableReader, environment: Environment): string | undefined {
  const value = reader.read('MESH_METRICS_ANNOTATIONS', optionalText);
  return environment.MESH_METRICS_ANNOTATIONS === '' ? '' : value;
}

type Parse<T> = (text: string) => ParsedVariable<T>;

const text: Parse<string> = (value) => ({ ok: true, value });
const optionalText: Parse<string | undefined> = (value) => ({ ok: true, value: value === '' ? undefined : value });

/** Empty text, which is the default, is undefined. */
function optional<T>(parse: Parse<T>): Parse<T | undefined> {
  return (value) => (value === '' ? { ok: true, value: undefined } : parse(value));
}

/** By the names that a variable may say. */
function list(value: string): ParsedVariable<readonly string[]> {
  const names = value.split(',').map((name) => name.trim());
  return { ok: true, value: names.filter((name) => name !== '') };
}

function address(value: string): ParsedVariable<string> {
  const plain = plainAddress(value);
  return plain === undefined ? { ok: false, expected: 'one IP address' } : { ok: true, value: plain };
}

function hostAndPort(value: string): ParsedVariable<string> {
  return isHostAndPort(value) ? { ok: true, value } : { ok: false, expected: 'host:port' };
}

function secureDnsServer(value: string): ParsedVariable<string> {
  const [, server = ''] = /^tcp-tls:(.*)$/.exec(value) ?? [];
  return isHostAndPort(server) ? { ok: true, value: server } : { ok: false, expected: 'tcp-tls:host:port' };
}

function cloudMetadata(value: string): ParsedVariable<CloudMetadata> {
  const parts = value.split('|');
  const [projectId, projectNumber, clusterName, clusterZone, more] = parts;
  if (!projectId || !projectNumber || !clusterName || !clusterZone || more !== undefined) {
    return { ok: false, expected: 'project id|project number|cluster name|cluster zone' };
  }
  return { ok: true, value: { projectId, projectNumber, clusterName, clusterZone } };
}

function webAddress(value: string): ParsedVariable<string> {
  return /^https?:\/\/[^\s/]/.test(value) && URL.canParse(value)
    ? { ok: true, value }
    : { ok: false, expected: 'a URL' };
}

function positiveDuration(value: string): ParsedVariable<number> {
  const parsed = parseDurationVariable(value);
  return parsed.ok && parsed.value > 0
    ? parsed
    : { ok: false, expected: 'a duration over 0, such as "24h" or "1m30s"' };
}

function notNegativeNumber(value: string): ParsedVariable<number> {
  const parsed = parseFloat64(value);
  return parsed.ok && parsed.value >= 0 ? parsed : { ok: false, expected: 'a number from 0' };
}

/** Milliseconds. */
function wholeSeconds(value: string): ParsedVariable<number> {
  const parsed = parseWholeNumber(value);
  return parsed.ok ? { ok: true, value: parsed.value * 1_000 } : parsed;
}

function ratio(value: string): ParsedVariable<number> {
  const parsed = parseFloat64(value);
  return parsed.ok && parsed.value >= 0 && parsed.value <= 1 ? parsed : { ok: false, expected: 'a number from 0 to 1' };
}

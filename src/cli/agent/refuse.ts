import { variables } from '../../config/variables.ts';
import { UsageError } from '../failure.ts';

/** Variables of the agent that take effect now. */
const supportedVariables: ReadonlySet<string> = new Set([
  'CA_ADDR',
  'CA_PROVIDER',
  'ECC_SIGNATURE_ALGORITHM',
  'ENABLE_INGRESS_GATEWAY_SDS',
  'INGRESS_GATEWAY_FALLBACK_SECRET',
  'INGRESS_GATEWAY_NAMESPACE',
  'INITIAL_BACKOFF_MSEC',
  'INSTANCE_IP',
  'JWT_POLICY',
  'MESH_APP_PROBERS',
  'MESH_BOOTSTRAP',
  'MESH_BOOTSTRAP_OVERRIDE',
  'MESH_META_CLUSTER_ID',
  'MESH_METRICS_ANNOTATIONS',
  'OUTPUT_CERTS',
  'PILOT_CERT_PROVIDER',
  'PILOT_DEBOUNCE_AFTER',
  'PILOT_DEBOUNCE_MAX',
  'PKCS8_KEY',
  'POD_NAME',
  'POD_NAMESPACE',
  'PROV_CERT',
  'SECRET_GRACE_PERIOD_RATIO',
  'SECRET_ROTATION_CHECK_INTERVAL',
  'SECRET_TTL',
  'SECRET_WATCHER_RESYNC_PERIOD',
  'STALED_CONNECTION_RECYCLE_RUN_INTERVAL',
]);

/**
 * Variables that only say more about another one: where the authority and the control plane run, of which `CA_ADDR` and
 * the discovery address are the whole address. As words of everybody's environment they must not stop a proxy.
 */
const dependentVariables: ReadonlySet<string> = new Set(['MESH_NAMESPACE', 'NAMESPACE']);

/** Names of set variables that the agent would have to obey and cannot yet, sorted. A default that is spelled out is none. */
export function unsupportedVariables(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return variables
    .filter(({ name, owner }) => owner === 'agent' && !supportedVariables.has(name) && !dependentVariables.has(name))
    .filter(({ name, default: usual }) => ![undefined, '', usual].includes(environment[name]))
    .map(({ name }) => name)
    .sort();
}

/** Flags whose values ask for what is not there yet; `usual` is the value that asks for nothing. */
const unsupportedFlags: readonly { readonly flag: string; readonly key: string; readonly usual: readonly unknown[] }[] =
  [
    { flag: '--stsPort', key: 'stsPort', usual: [0] },
    { flag: '--tokenManagerPlugin', key: 'tokenManagerPlugin', usual: ['CloudTokenExchange'] },
  ];

/** Throws a UsageError that names every flag and variable that would have no effect: nothing is ignored. */
export function refuseUnsupported(
  options: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const names = [...unsupportedFlagsOf(options), ...unsupportedVariables(environment)];
  if (names.length > 0) throw new UsageError(`not supported yet: ${names.join(', ')}`);
}

function unsupportedFlagsOf(options: Readonly<Record<string, unknown>>): string[] {
  return unsupportedFlags
    .filter(({ key, usual }) => options[key] !== undefined && !usual.includes(options[key]))
    .map(({ flag }) => flag);
}

import { variables } from '../../config/variables.ts';
import { UsageError } from '../../lib/usage-error.ts';

/** Variables of the agent that take effect now. */
const supportedVariables: ReadonlySet<string> = new Set([
  'CA_ADDR',
  'CA_PROVIDER',
  'CLOUD_CLUSTER_URL',
  'CLOUD_METADATA',
  'DNS_AGENT',
  'DNS_SERVER',
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
  'PILOT_ENABLED_SERVICE_APIS',
  'PKCS8_KEY',
  'PLUGINS',
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

/** Throws a UsageError that names every variable that would have no effect: nothing is ignored. */
export function refuseUnsupported(environment: Readonly<Record<string, string | undefined>>): void {
  const names = unsupportedVariables(environment);
  if (names.length > 0) throw new UsageError(`not supported yet: ${names.join(', ')}`);
}

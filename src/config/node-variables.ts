import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { Environment } from './environment.ts';

/** What variables say of the node that a proxy is. */
export interface NodeVariables {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
}

type Members = Readonly<Record<string, unknown>>;

const textPrefix = 'MESH_META_';
const jsonPrefix = 'MESH_METAJSON_';

/** Keys that others read as text, or as a map of texts: a value of another shape would not be understood. */
const textKeys: ReadonlySet<string> = new Set([
  ...['BASE', 'CLUSTER_ID', 'DNS_CAPTURE', 'GENERATOR', 'HTTP10', 'IDLE_TIMEOUT', 'INSTANCE_IPS', 'INTERCEPTION_MODE'],
  ...['MESH_ID', 'MESH_VERSION', 'NAME', 'NAMESPACE', 'NETWORK', 'OWNER', 'POD_PORTS', 'ROUTER_MODE', 'SDS'],
  ...['SERVICE_ACCOUNT', 'STS_PORT', 'TLS_CLIENT_CERT_CHAIN', 'TLS_CLIENT_KEY', 'TLS_CLIENT_ROOT_CERT'],
  ...['TLS_SERVER_CERT_CHAIN', 'TLS_SERVER_KEY', 'TLS_SERVER_ROOT_CERT', 'WORKLOAD_NAME'],
]);
const mapKeys: ReadonlySet<string> = new Set(['LABELS', 'PLATFORM_METADATA']);

/** What a proxy tells its peers of itself when nobody says otherwise. */
const usualExchangeKeys = [
  ...['NAME', 'NAMESPACE', 'INSTANCE_IPS', 'LABELS', 'OWNER', 'PLATFORM_METADATA', 'WORKLOAD_NAME', 'MESH_ID'],
  ...['SERVICE_ACCOUNT', 'CLUSTER_ID'],
];

/**
 * `MESH_META_<KEY>` as text, then the members of `MESH_METAJSON_<ANY>`, of which `MESH_METAJSON_LABELS` are labels;
 * variables in the order of their names. JSON that cannot be read, or a value of the wrong shape, is an error.
 */
export function readNodeVariables(environment: Environment, bag: DiagnosticBag): NodeVariables {
  const metadata: Record<string, unknown> = {};
  let labels: Members = {};
  const names = Object.keys(environment).sort();
  for (const name of names) {
    const key = name.startsWith(textPrefix) ? name.slice(textPrefix.length) : '';
    const isKept = key.startsWith('WORKLOAD') && key !== 'WORKLOAD_NAME';
    if (key !== '' && !isKept && environment[name]) metadata[key] = environment[name];
  }
  for (const name of names) {
    if (!name.startsWith(jsonPrefix) || !environment[name]) continue;
    const members = parseMembers(name, environment[name], bag);
    if (name === `${jsonPrefix}LABELS`) labels = members;
    else Object.assign(metadata, members);
    checkShapes(name, name === `${jsonPrefix}LABELS` ? { LABELS: members } : members, bag);
  }
  const { LABELS: more, ...rest } = metadata;
  const keys = [...usualExchangeKeys, ...listOf(environment.MESH_ADDITIONAL_METADATA_EXCHANGE_KEYS)];
  return {
    metadata: { ...rest, EXCHANGE_KEYS: [...new Set(keys)].join(',') },
    labels: { ...(more as Members | undefined), ...labels } as NodeVariables['labels'],
  };
}

function parseMembers(name: string, text: string, bag: DiagnosticBag): Members {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    bag.report('invalid-node-metadata', undefined, { name, reason: 'its value is not JSON' });
    return {};
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  bag.report('invalid-node-metadata', undefined, { name, reason: 'its value is not a JSON object' });
  return {};
}

function checkShapes(name: string, members: Members, bag: DiagnosticBag): void {
  for (const [key, value] of Object.entries(members)) {
    const isText = typeof value === 'string';
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (textKeys.has(key) && !isText) {
      bag.report('invalid-node-metadata', undefined, { name, reason: `${key} is not a string` });
    } else if (mapKeys.has(key) && !(isMap && Object.values(value).every((entry) => typeof entry === 'string'))) {
      bag.report('invalid-node-metadata', undefined, { name, reason: `${key} is not an object of strings` });
    }
  }
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

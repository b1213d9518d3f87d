import authorizationPolicy from '../../schemas/authorization-policy.json' with { type: 'json' };
import common from '../../schemas/common.json' with { type: 'json' };
import destinationRule from '../../schemas/destination-rule.json' with { type: 'json' };
import endpointSlice from '../../schemas/endpoint-slice.json' with { type: 'json' };
import endpoints from '../../schemas/endpoints.json' with { type: 'json' };
import gateway from '../../schemas/gateway.json' with { type: 'json' };
import meshConfig from '../../schemas/mesh-config.json' with { type: 'json' };
import namespace from '../../schemas/namespace.json' with { type: 'json' };
import peerAuthentication from '../../schemas/peer-authentication.json' with { type: 'json' };
import pod from '../../schemas/pod.json' with { type: 'json' };
import projectFile from '../../schemas/project-file.json' with { type: 'json' };
import proxyConfig from '../../schemas/proxy-config.json' with { type: 'json' };
import requestAuthentication from '../../schemas/request-authentication.json' with { type: 'json' };
import secret from '../../schemas/secret.json' with { type: 'json' };
import service from '../../schemas/service.json' with { type: 'json' };
import serviceAccount from '../../schemas/service-account.json' with { type: 'json' };
import serviceEntry from '../../schemas/service-entry.json' with { type: 'json' };
import virtualService from '../../schemas/virtual-service.json' with { type: 'json' };
import workloadController from '../../schemas/workload-controller.json' with { type: 'json' };
import workloadEntry from '../../schemas/workload-entry.json' with { type: 'json' };

interface Schema {
  readonly $id: string;
  readonly title: string;
  readonly $defs?: Readonly<Record<string, unknown>>;
}

const all: readonly Schema[] = [
  authorizationPolicy,
  destinationRule,
  endpointSlice,
  endpoints,
  gateway,
  meshConfig,
  namespace,
  peerAuthentication,
  pod,
  projectFile,
  proxyConfig,
  requestAuthentication,
  secret,
  service,
  serviceAccount,
  serviceEntry,
  virtualService,
  workloadController,
  workloadEntry,
];

/** Parts that schemas refer to by file name. */
const shared: readonly Schema[] = [common, proxyConfig];

/** A title names every kind that its schema holds for. */
const byKind: ReadonlyMap<string, Schema> = new Map(
  all.flatMap((schema) => schema.title.split(', ').map((kind) => [kind, schema])),
);

/** Kinds that have a schema, sorted. */
export function schemaKinds(): readonly string[] {
  return [...byKind.keys()].sort();
}

/** The schema of a kind with every part it refers to inside (JSON Schema 2020-12, core, section 9.3.1: bundling). */
export function schemaOf(kind: string): object | undefined {
  const schema = byKind.get(kind);
  if (schema === undefined) return undefined;
  const parts = new Map<string, Schema>();
  const visit = (text: string): void => {
    for (const part of shared) {
      if (parts.has(part.$id) || part === schema || !text.includes(`"$ref":"${part.$id}`)) continue;
      parts.set(part.$id, part);
      visit(JSON.stringify(part));
    }
  };
  visit(JSON.stringify(schema));
  return parts.size === 0 ? schema : { ...schema, $defs: { ...schema.$defs, ...Object.fromEntries(parts) } };
}

/** The JSON Schema of each kind, as `meshpol schema` prints it. */
export const schemas: ReadonlyMap<string, object> = new Map(
  schemaKinds().flatMap((kind) => {
    const schema = schemaOf(kind);
    return schema === undefined ? [] : [[kind, schema] as const];
  }),
);

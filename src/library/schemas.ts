import authorizationPolicy from '../../schemas/authorization-policy.json' with { type: 'json' };
import common from '../../schemas/common.json' with { type: 'json' };
import destinationRule from '../../schemas/destination-rule.json' with { type: 'json' };
import endpointSlice from '../../schemas/endpoint-slice.json' with { type: 'json' };
import endpoints from '../../schemas/endpoints.json' with { type: 'json' };
import gateway from '../../schemas/gateway.json' with { type: 'json' };
import gatewayClass from '../../schemas/gateway-class.json' with { type: 'json' };
import grpcRoute from '../../schemas/grpc-route.json' with { type: 'json' };
import httpRoute from '../../schemas/http-route.json' with { type: 'json' };
import lintReport from '../../schemas/lint-report.json' with { type: 'json' };
import meshConfig from '../../schemas/mesh-config.json' with { type: 'json' };
import namespace from '../../schemas/namespace.json' with { type: 'json' };
import node from '../../schemas/node.json' with { type: 'json' };
import peerAuthentication from '../../schemas/peer-authentication.json' with { type: 'json' };
import pod from '../../schemas/pod.json' with { type: 'json' };
import policyTest from '../../schemas/policy-test.json' with { type: 'json' };
import projectFile from '../../schemas/project-file.json' with { type: 'json' };
import proxyConfig from '../../schemas/proxy-config.json' with { type: 'json' };
import proxyConfigObject from '../../schemas/proxy-config-object.json' with { type: 'json' };
import referenceGrant from '../../schemas/reference-grant.json' with { type: 'json' };
import requestAuthentication from '../../schemas/request-authentication.json' with { type: 'json' };
import secret from '../../schemas/secret.json' with { type: 'json' };
import service from '../../schemas/service.json' with { type: 'json' };
import serviceAccount from '../../schemas/service-account.json' with { type: 'json' };
import serviceEntry from '../../schemas/service-entry.json' with { type: 'json' };
import sidecar from '../../schemas/sidecar.json' with { type: 'json' };
import standardGateway from '../../schemas/standard-gateway.json' with { type: 'json' };
import tlsRoute from '../../schemas/tls-route.json' with { type: 'json' };
import virtualService from '../../schemas/virtual-service.json' with { type: 'json' };
import workloadController from '../../schemas/workload-controller.json' with { type: 'json' };
import workloadEntry from '../../schemas/workload-entry.json' with { type: 'json' };
import workloadGroup from '../../schemas/workload-group.json' with { type: 'json' };

import { publish, referred, type Schema as SchemaPart } from './publish-schema.ts';

interface Schema extends SchemaPart {
  readonly $id: string;
  readonly title: string;
}

const all: readonly Schema[] = [
  authorizationPolicy,
  destinationRule,
  endpointSlice,
  endpoints,
  gateway,
  gatewayClass,
  grpcRoute,
  httpRoute,
  lintReport,
  meshConfig,
  namespace,
  node,
  peerAuthentication,
  pod,
  policyTest,
  projectFile,
  proxyConfig,
  proxyConfigObject,
  referenceGrant,
  requestAuthentication,
  secret,
  service,
  serviceAccount,
  serviceEntry,
  sidecar,
  standardGateway,
  tlsRoute,
  virtualService,
  workloadController,
  workloadEntry,
  workloadGroup,
];

/** Schemas by name: `peer-authentication`. */
const byName: ReadonlyMap<string, Schema> = new Map([...all, common].map((schema) => [nameOf(schema), schema]));

/** A title names every kind that its schema holds for. */
const byKind: ReadonlyMap<string, Schema> = new Map(
  all.flatMap((schema) => schema.title.split(', ').map((kind) => [kind, schema])),
);

function nameOf({ $id }: Schema): string {
  return $id.replace('.json', '');
}

/** Kinds that have a schema, sorted. */
export function schemaKinds(): readonly string[] {
  return [...byKind.keys()].sort();
}

/** The schema of a kind with every part that it refers to in its `$defs`; several kinds may share one. */
export function schemaOf(kind: string): object | undefined {
  const schema = byKind.get(kind);
  if (schema === undefined) return undefined;
  const { $defs, ...rest } = publish(schema, '#') as SchemaPart;
  const parts = definitions(referred(schema).filter((name) => name !== nameOf(schema)));
  return {
    $schema: schema.$schema,
    $id: schema.$id,
    ...rest,
    ...(($defs || parts) && { $defs: { ...($defs as object), ...parts } }),
  };
}

/** The name of the definition of a kind's schema in `definitions`. */
export function definitionOf(kind: string): string | undefined {
  const schema = byKind.get(kind);
  return schema && nameOf(schema);
}

/** Schemas by name and all that they refer to, as `$defs` of one schema; undefined for no names. */
export function definitions(names: readonly string[]): Readonly<Record<string, object>> | undefined {
  if (names.length === 0) return undefined;
  const found = new Set(names);
  for (const name of found) {
    for (const other of referred(byName.get(name) ?? {})) found.add(other);
  }
  return Object.fromEntries(
    [...found].sort().map((name) => [name, publish(byName.get(name), `#/$defs/${name}`) as object]),
  );
}

/** The JSON Schema of each kind, as `meshpol schema` prints it. */
export const schemas: ReadonlyMap<string, object> = new Map(
  schemaKinds().flatMap((kind) => {
    const schema = schemaOf(kind);
    return schema === undefined ? [] : [[kind, schema] as const];
  }),
);

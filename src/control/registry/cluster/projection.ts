import common from '../../../../schemas/common.json' with { type: 'json' };
import endpointSlice from '../../../../schemas/endpoint-slice.json' with { type: 'json' };
import endpoints from '../../../../schemas/endpoints.json' with { type: 'json' };
import namespace from '../../../../schemas/namespace.json' with { type: 'json' };
import node from '../../../../schemas/node.json' with { type: 'json' };
import pod from '../../../../schemas/pod.json' with { type: 'json' };
import secret from '../../../../schemas/secret.json' with { type: 'json' };
import service from '../../../../schemas/service.json' with { type: 'json' };
import { type ApiObject, apiVersionOf, type ResourceType } from '../../../kubernetes/resource-type.ts';

/** What is looked at of a JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | object;
}

/** Schemas of the platform's own kinds, which name the fields that are read. */
const schemas: Readonly<Record<string, object | undefined>> = {
  ...{ EndpointSlice: endpointSlice, Endpoints: endpoints, Namespace: namespace },
  ...{ Node: node, Pod: pod, Secret: secret, Service: service },
};

/** Labels that are read of a node; it has many more, which say what it can do. */
const nodeLabel = /^(topology\.(kubernetes|mesh|istio)|failure-domain\.beta\.kubernetes)\.io\/(region|zone|subzone)$/;

/** Values that are read of a Secret. */
const secretKey = /^(tls\.(crt|key)|ca\.(crt|crl)|cert|key|cacert|crl)$/;

/** Annotations of other domains, such as heartbeats, are read by nobody here. */
const readAnnotation = /^([\w.-]+\.)?(mesh|istio)\.io\/|^endpoints\.kubernetes\.io\/over-capacity$/;

/**
 * The text of an object with only the fields that are used, so that equal texts mean equal objects. For Kubernetes' own kinds
 * these are the fields of the schema. For all other kinds everything but the status stays, because an unknown field of a
 * policy must be refused instead of dropped. The status of a WorkloadEntry stays too, because it says whether the workload is
 * healthy.
 */
export function textOf(object: ApiObject, type: ResourceType): string {
  const { apiVersion: _, kind: __, metadata, status, ...parts } = type.kind === 'Secret' ? secretOf(object) : object;
  const schema =
    type.group === '' || type.group === 'discovery.k8s.io' ? (schemas[type.kind] as Schema | undefined) : undefined;
  const read =
    schema === undefined
      ? { ...parts, ...(type.kind === 'WorkloadEntry' && status !== undefined && { status }) }
      : (project({ ...parts, status }, schema) as object);
  const whole = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: metadataOf(metadata, type),
    ...sorted(read),
  };
  return `${JSON.stringify(whole, undefined, 1)}\n`;
}

/** A Secret of another type than those of certificates is nobody's to read. */
function secretOf(secret: ApiObject): ApiObject {
  const { type = 'Opaque', data } = secret;
  return {
    metadata: secret.metadata,
    type,
    data: type === 'kubernetes.io/tls' || type === 'Opaque' ? onlyOf(data, secretKey) : {},
  };
}

function metadataOf(metadata: ApiObject['metadata'], type: ResourceType): object {
  const { name, namespace: of, annotations, creationTimestamp, ownerReferences } = metadata;
  const labels = type.kind === 'Node' ? onlyOf(metadata.labels, nodeLabel) : metadata.labels;
  const isPolicy = type.group !== '' && type.group !== 'discovery.k8s.io';
  const kept = onlyOf(annotations, readAnnotation);
  return {
    name,
    ...(of !== undefined && { namespace: of }),
    ...(isFilled(labels) && { labels: sorted(labels) }),
    ...(isFilled(kept) && { annotations: sorted(kept) }),
    // The oldest policy of a scope wins.
    ...(isPolicy && creationTimestamp !== undefined && { creationTimestamp }),
    ...(type.kind === 'Pod' && Array.isArray(ownerReferences) && { ownerReferences: ownerReferences.map(ownerOf) }),
  };
}

/** The entries of labels or annotations whose key is read. */
function onlyOf(entries: unknown, key: RegExp): object {
  return Object.fromEntries(Object.entries((entries as object | undefined) ?? {}).filter(([name]) => key.test(name)));
}

function ownerOf({ kind, name }: { readonly kind?: unknown; readonly name?: unknown }): object {
  return { kind, name };
}

/** The part of a value that a schema names. Lists keep their order, objects lose it. */
function project(value: unknown, schema: Schema): unknown {
  const { properties, items, additionalProperties } = resolved(schema);
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => project(item, items));
  if (typeof value !== 'object' || value === null) return value;
  if (properties === undefined || typeof additionalProperties === 'object') return sorted(value);
  const kept = Object.entries(properties).flatMap(([key, inner]) => {
    const own = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    return own === undefined ? [] : [[key, project(own, inner)] as const];
  });
  return Object.fromEntries(kept);
}

function resolved(schema: Schema): Schema {
  const [, name] = /#\/\$defs\/(.+)$/.exec(schema.$ref ?? '') ?? [];
  return name === undefined ? schema : ((common.$defs as Record<string, Schema>)[name] ?? schema);
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

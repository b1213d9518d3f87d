import { readFileSync } from 'node:fs';
import { standardGatewayKind } from '../../src/policy/gateway-api.ts';
import { formats } from '../../src/schema/formats.ts';
import { knownKinds } from '../../src/schema/kinds.ts';
import { code, table } from './markdown.ts';
import { isRead, metadataFields, type SchemaField, schemaFields } from './schema-fields.ts';

const introduction = `# Kinds

Written by \`make docs\` from \`schemas/\` and \`fixtures/kinds/\`. Every kind that the programs read, with its API versions, the
smallest valid YAML, and every field. In paths, \`[]\` stands for an item of a list and \`<key>\` for a key of a map.
[Types](#types) explains the types. \`meshpol schema KIND\` prints the JSON Schema of a kind, for editors.

An unknown field of a policy kind is an error. Of Kubernetes kinds only the fields below are read; others are ignored, except that
[rules of lint](lint-rules.md) read \`securityContext.runAsUser\` and \`terminationGracePeriodSeconds\` of pods. A \`kind: List\` is read as
the objects in its \`items\`. Istio's API groups and names (\`security.istio.io\`, \`istio-proxy\`) are read as those of this project; its
fields that are not supported are errors ([Coming from Istio](../guides/from-istio.md) lists them).

## metadata

The metadata of every kind. A Namespace and a Node have no \`metadata.namespace\`. Other fields that Kubernetes writes are ignored.
[meshpol compile](meshpol-compile.md) has the labels and annotations with a meaning, such as \`mesh-injection: enabled\`.

${fieldTable(metadataFields())}
`;

/** One section a kind: the smallest YAML, and every field. */
export function kindsPage(): string {
  const sections = knownKinds.map(({ kind, id = kind, group, versions }) => {
    const name = schemaOf(id);
    const api = group === '' ? versions.join(', ') : versions.map((version) => `${group}/${version}`).join(', ');
    const yaml = readFileSync(`fixtures/kinds/${id}.yaml`, 'utf8');
    const fields = schemaFields(name).filter((field) => field.unsupported === undefined && isRead(field));
    const rows = fieldTable(fields);
    return `## ${id}\n\n${code(api)}\n\n\`\`\`yaml\n${yaml}\`\`\`\n\n${rows}`;
  });
  const fields = [...metadataFields(), ...knownKinds.flatMap(({ kind, id = kind }) => schemaFields(schemaOf(id)))];
  return `${introduction}\n${sections.join('\n\n')}\n\n## Types\n\n${typeTable(fields)}\n`;
}

/** What a text of each type that the fields have looks like. */
export function typeTable(fields: readonly SchemaField[]): string {
  const used = new Set(fields.map(({ type }) => type.replace(/^(list of|map to) /, '')));
  const rows = Object.entries(formats).filter(([name]) => used.has(name));
  return `Types that are not in this table are those of JSON. If a field's type is a list of values in \`code\`, only these are valid.\n\n${table(
    ['type', 'expected text'],
    rows.map(([name, { expected }]) => [name, expected]),
  )}`;
}

/** A table of fields; a list, a map and an object have a line of their own only if they say something. */
export function fieldTable(fields: readonly SchemaField[]): string {
  if (fields.length === 0) return 'It has no fields that are read beside [metadata](#metadata).';
  return table(
    ['field', 'type', 'description'],
    fields.map(({ path, type, description }) => [code(path), type, description || '–']),
  );
}

/** Several kinds share a schema. */
export function schemaOf(kind: string): string {
  if (['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind)) return 'workload-controller';
  // The name without more is that of `defaultConfig` of the mesh configuration.
  if (kind === 'ProxyConfig') return 'proxy-config-object';
  if (kind === standardGatewayKind) return 'standard-gateway';
  return kind.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
}

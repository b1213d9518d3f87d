import { readFileSync } from 'node:fs';
import { knownKinds } from '../../src/schema/kinds.ts';
import { code, table } from './markdown.ts';
import { type SchemaField, schemaFields } from './schema-fields.ts';

const introduction = `# Kinds

Written by \`make docs\` from \`schemas/\` and \`fixtures/kinds/\`. Every kind that the programs read, with the smallest YAML that
is valid and every field. \`meshpol schema KIND\` prints the JSON Schema, for editors.

An unknown field of a policy kind is an error. Of Kubernetes kinds only the fields below are read; others are ignored.
Fields that are known and not supported are refused; [Coming from Istio](../guides/from-istio.md) lists them.
`;

/** One section a kind: the smallest YAML, and every field. */
export function kindsPage(): string {
  const sections = knownKinds.map(({ kind, group, versions }) => {
    const name = schemaOf(kind);
    const api = group === '' ? versions.join(', ') : versions.map((version) => `${group}/${version}`).join(', ');
    const yaml = readFileSync(`fixtures/kinds/${kind}.yaml`, 'utf8');
    const fields = schemaFields(name).filter(({ unsupported }) => unsupported === undefined);
    const rows = fieldTable(fields);
    return `## ${kind}\n\n${code(api)}\n\n\`\`\`yaml\n${yaml}\`\`\`\n\n${rows}`;
  });
  return `${introduction}\n${sections.join('\n\n')}\n`;
}

/** A table of fields; a list, a map and an object have a line of their own only if they say something. */
export function fieldTable(fields: readonly SchemaField[]): string {
  if (fields.length === 0) return 'It has no fields that are read beside `metadata`.';
  return table(
    ['field', 'type', 'description'],
    fields.map(({ path, type, description }) => [code(path), type, description || '–']),
  );
}

/** Several kinds share a schema. */
export function schemaOf(kind: string): string {
  if (['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind)) return 'workload-controller';
  return kind.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}

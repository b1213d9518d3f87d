import { aliases } from '../policy/alias.ts';
import { knownKinds } from '../schema/kinds.ts';
import { definitionOf, definitions } from './schemas.ts';

/**
 * One schema for every YAML file of a folder: by apiVersion and kind it chooses the schema of the document, and of each item
 * of a list. Documents of other kinds hold.
 */
export function combinedSchema(): object {
  const known = knownKinds.map(({ kind, id = kind, group, versions }) => {
    const groups = [group, ...Object.entries(aliases.groups).flatMap(([alias, own]) => (own === group ? [alias] : []))];
    const apiVersions = groups.flatMap((it) => versions.map((version) => (it === '' ? version : `${it}/${version}`)));
    return { kind, apiVersions, definition: definitionOf(id) ?? '' };
  });
  const choices = known.map(({ kind, apiVersions, definition }) => ({
    if: {
      type: 'object',
      properties: { apiVersion: { enum: apiVersions }, kind: { const: kind } },
      required: ['apiVersion', 'kind'],
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: `#/$defs/${definition}` },
  }));
  const list = {
    if: {
      type: 'object',
      properties: { apiVersion: { const: 'v1' }, kind: { pattern: 'List$' } },
      required: ['apiVersion', 'kind'],
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { items: { type: ['array', 'null'], items: { $ref: '#' } } } },
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'all.json',
    title: 'Mesh policies and topology',
    description: 'Chooses the schema of a document by apiVersion and kind; documents of other kinds hold.',
    properties: {
      apiVersion: { description: 'API group and version.' },
      kind: { description: 'Kind of the object.' },
    },
    allOf: [...choices, list],
    $defs: definitions([...new Set(known.map(({ definition }) => definition))]),
  };
}

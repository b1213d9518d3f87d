import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { fixtureNames } from '../testing/fixture.ts';
import { combinedSchema } from './combined-schema.ts';
import { schemaKinds, schemaOf } from './schemas.ts';

// As an editor: without the keywords and the formats that are ours.
const ajv = new Ajv.default({ strict: false, validateFormats: false, logger: false, allErrors: true });
const validate = ajv.compile(combinedSchema());

const faultsOf = (value: unknown): readonly string[] =>
  validate(value)
    ? []
    : (validate.errors ?? [])
        .filter(({ keyword }) => keyword !== 'if')
        .map(({ instancePath, message }) => `${instancePath} ${message}`);

/** What the combined schema says of the documents of a case. */
function faultsOfCase(folder: string, name: string): readonly string[] {
  const root = join('fixtures', folder, name);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.ya?ml$/.test(file) && file !== 'mesh-config.yaml',
  );
  return files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(root, file), 'utf8'), { merge: true }).flatMap((document) =>
      faultsOf(document.toJS()).map((fault) => `${name}/${file}: ${fault}`),
    ),
  );
}

/** Cases whose fault no schema of documents sees: what it is about is in other texts or fields, or cannot be told to be ours. */
const unseen = [
  ...['gateway-limits-unknown', 'missing-field-kind', 'missing-field-tls-backend-port'],
  'path-of-no-request-http-route',
  ...['unknown-enum-value-grpc-status', 'unknown-field-of-provider', 'wrong-type-api-version'],
];

/** Codes of faults that a schema can see. */
const ofSchema = new Set(['unknown-field', 'wrong-type', 'missing-field', 'unknown-enum-value']);

describe('the combined schema', () => {
  test('holds for every case that compiles', () => {
    expect(fixtureNames('fixtures/ok').flatMap((name) => faultsOfCase('ok', name))).toEqual([]);
  });

  test('does not hold for cases with an unknown field, a missing one, a wrong type or a wrong value', () => {
    const missed = fixtureNames('fixtures/err').filter((name) => {
      const told = readFileSync(join('golden/err', name, 'diagnostics.txt'), 'utf8');
      const codes = [...told.matchAll(/: error: .*\[([\w-]+)\]$/gm)].map(([, code = '']) => code);
      return codes.some((code) => ofSchema.has(code)) && faultsOfCase('err', name).length === 0;
    });
    expect(missed).toEqual(unseen);
  });

  test('takes documents of other kinds, and looks into lists', () => {
    expect(faultsOf({ apiVersion: 'batch/v1', kind: 'CronJob', spec: 7 })).toEqual([]);
    expect(faultsOf({ replicas: 2 })).toEqual([]);
    const policy = { apiVersion: 'security.istio.io/v1', kind: 'PeerAuthentication', metadata: { name: 'a' }, spec: 7 };
    expect(faultsOf(policy)).toEqual(['/spec must be object']);
    expect(faultsOf({ apiVersion: 'v1', kind: 'List', items: [policy] })).toEqual(['/items/0/spec must be object']);
  });
});

describe.each(schemaKinds())('the schema of %s', (kind) => {
  const schema = schemaOf(kind) as { readonly examples: readonly unknown[]; readonly $defs?: object };

  test('stands alone: every reference leads into it', () => {
    const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference);
    expect(references.filter((reference) => !reference?.startsWith('#/$defs/'))).toEqual([]);
    expect(() => ajv.compile({ ...schema, $id: `alone-${kind}.json` })).not.toThrow();
  });

  test('has an example that it holds for', () => {
    const holds = ajv.compile({ ...schema, $id: `example-${kind}.json` });
    expect(schema.examples.length).toBeGreaterThan(0);
    expect(schema.examples.filter((example) => !holds(example))).toEqual([]);
  });

  test('describes every property, where it stands or where it refers to', () => {
    expect(undescribed(schema, schema, '')).toEqual([]);
  });
});

/** Paths of properties without a description of their own or of what they refer to. */
function undescribed(node: unknown, root: object, path: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const entries = Object.entries(node).filter(([key]) => key !== 'examples' && key !== 'if');
  const silent = Object.entries((node as { readonly properties?: object }).properties ?? {})
    .filter(([, value]) => !isDescribed(value, root))
    .map(([name]) => `${path}/${name}`);
  return [...silent, ...entries.flatMap(([key, value]) => undescribed(value, root, `${path}/${key}`))];
}

function isDescribed(value: { readonly description?: string; readonly $ref?: string }, root: object): boolean {
  if (value.description !== undefined) return true;
  const steps = value.$ref?.split('/').slice(1) ?? [];
  const target = steps.reduce((at: unknown, step) => (at as Record<string, unknown> | undefined)?.[step], root);
  return steps.length > 0 && isDescribed((target ?? {}) as typeof value, root);
}

import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { Environment } from './environment.ts';
import { readNodeVariables } from './node-variables.ts';

const read = (environment: Environment) => {
  const bag = new DiagnosticBag();
  const { metadata, labels } = readNodeVariables(environment, bag);
  const { EXCHANGE_KEYS: exchangeKeys, ...rest } = metadata;
  return { metadata: rest, labels, exchangeKeys: String(exchangeKeys), told: bag.all.map(({ message }) => message) };
};

describe('readNodeVariables', () => {
  test.each<[string, Environment, object, object]>([
    ['MESH_META_ as text', { MESH_META_CLUSTER_ID: 'west', MESH_META_X: '{}' }, { CLUSTER_ID: 'west', X: '{}' }, {}],
    [
      'of MESH_META_WORKLOAD… the name alone',
      { MESH_META_WORKLOAD_NAME: 'web', MESH_META_WORKLOADS: 'x' },
      { WORKLOAD_NAME: 'web' },
      {},
    ],
    ['members of MESH_METAJSON_, whatever follows', { MESH_METAJSON_ANY: '{"A":{"b":[1]}}' }, { A: { b: [1] } }, {}],
    ['labels', { MESH_METAJSON_LABELS: '{"app":"web"}' }, {}, { app: 'web' }],
    [
      'labels inside of another object',
      { MESH_METAJSON_X: '{"LABELS":{"app":"web"},"Y":1}' },
      { Y: 1 },
      { app: 'web' },
    ],
    ['nothing of empty variables', { MESH_META_A: '', MESH_METAJSON_B: '', MESH_META_: 'x' }, {}, {}],
    ['members over texts of the same key', { MESH_METAJSON_A: '{"K":2}', MESH_META_K: '1' }, { K: 2 }, {}],
  ])('reads %s', (_, environment, metadata, labels) => {
    expect(read(environment)).toMatchObject({ metadata, labels, told: [] });
    expect(read(environment).metadata).toEqual(metadata);
  });

  test.each<[string, string, string]>([
    ['MESH_METAJSON_A', '{', 'its value is not JSON'],
    ['MESH_METAJSON_A', '[1]', 'its value is not a JSON object'],
    ['MESH_METAJSON_A', '{"NAME":["x"]}', 'NAME is not a string'],
    ['MESH_METAJSON_A', '{"LABELS":{"app":1}}', 'LABELS is not an object of strings'],
    ['MESH_METAJSON_LABELS', '{"app":[]}', 'LABELS is not an object of strings'],
  ])('refuses %s=%s', (name, value, reason) => {
    expect(read({ [name]: value }).told).toEqual([`variable ${name} cannot be node metadata: ${reason}`]);
  });

  test('adds to the metadata keys that peers receive', () => {
    expect(read({}).exchangeKeys).toMatch(/^NAME,NAMESPACE,.*,CLUSTER_ID$/);
    expect(read({ MESH_ADDITIONAL_METADATA_EXCHANGE_KEYS: 'X, NAME,Y' }).exchangeKeys).toMatch(/,CLUSTER_ID,X,Y$/);
  });
});

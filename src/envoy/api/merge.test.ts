import { describe, expect, test } from 'vitest';
import { parsePath } from '../../diagnostics/json-path.ts';
import { mergeMessages, pathInOverride } from './merge.ts';

const bootstrap = 'envoy.config.bootstrap.v3.Bootstrap';
const file = { '@type': 'type.googleapis.com/envoy.config.trace.v3.ZipkinConfig', collector_cluster: 'a' };
const other = { '@type': 'type.googleapis.com/envoy.config.trace.v3.DatadogConfig', collector_cluster: 'b' };

describe('mergeMessages', () => {
  test.each<[string, object, object, object]>([
    [
      'replaces scalars and merges messages',
      { node: { id: 'a', cluster: 'b' } },
      { node: { id: 'c' } },
      { node: { id: 'c', cluster: 'b' } },
    ],
    [
      'appends to lists',
      { static_resources: { clusters: [{ name: 'a' }] } },
      { static_resources: { clusters: [{ name: 'b' }], listeners: [{ name: 'c' }] } },
      { static_resources: { clusters: [{ name: 'a' }, { name: 'b' }], listeners: [{ name: 'c' }] } },
    ],
    [
      'replaces entries of maps and structs by key',
      { node: { metadata: { a: { b: 1 }, c: 1 } } },
      { node: { metadata: { a: { d: 2 } } } },
      { node: { metadata: { a: { d: 2 }, c: 1 } } },
    ],
    [
      'removes the other members of a oneof',
      { admin: { address: { socket_address: { address: '127.0.0.1', port_value: 1 } } } },
      { admin: { address: { pipe: { path: '/x' } } } },
      { admin: { address: { pipe: { path: '/x' } } } },
    ],
    [
      'replaces an Any, of the same type or of another',
      { tracing: { http: { name: 'x', typed_config: file } } },
      { tracing: { http: { typed_config: other } } },
      { tracing: { http: { name: 'x', typed_config: other } } },
    ],
    [
      'replaces durations and wrappers',
      { stats_config: { use_all_default_tags: true }, stats_flush_interval: '5s' },
      { stats_config: { use_all_default_tags: false }, stats_flush_interval: '1s' },
      { stats_config: { use_all_default_tags: false }, stats_flush_interval: '1s' },
    ],
    ['keeps what the type does not have', { node: {} }, { nodes: 1 }, { node: {}, nodes: 1 }],
    [
      'keeps a field that is called __proto__',
      { node: {} },
      JSON.parse('{"__proto__": 1}'),
      JSON.parse('{"node": {}, "__proto__": 1}'),
    ],
    ['replaces what is of another shape', { node: { id: 'a' } }, { node: [1] }, { node: [1] }],
  ])('%s', (_, base, over, expected) => {
    expect(mergeMessages(bootstrap, base as never, over as never)).toEqual(expected);
  });

  test('leaves its inputs as they are', () => {
    const base = { static_resources: { clusters: [{ name: 'a' }] } };
    mergeMessages(bootstrap, base, { static_resources: { clusters: [{ name: 'b' }] } });
    expect(base).toEqual({ static_resources: { clusters: [{ name: 'a' }] } });
  });
});

describe('pathInOverride', () => {
  const base = {
    node: { id: 'a', metadata: { k: 1 } },
    static_resources: { clusters: [{ name: 'a' }, { name: 'b' }] },
  };
  const over = { node: { metadata: { m: { n: 1 } } }, static_resources: { clusters: [{ name: 'c' }] }, wrong: 1 };
  test.each<[string, string | undefined]>([
    ['static_resources.clusters[2].name', 'static_resources.clusters.0.name'],
    ['static_resources.clusters[1].name', undefined],
    ['node.id', undefined],
    ['node.metadata.m.n', 'node.metadata.m.n'],
    ['node.metadata.k', undefined],
    ['wrong', 'wrong'],
    ['admin', undefined],
  ])('leads %s to %s', (path, expected) => {
    expect(pathInOverride(bootstrap, base, over, parsePath(path))?.join('.')).toBe(expected);
  });
});

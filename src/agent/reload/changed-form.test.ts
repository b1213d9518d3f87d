import { describe, expect, test } from 'vitest';
import type { Json } from '../../envoy/api/resource-file.ts';
import { clustersCalledBy, formOf } from './changed-form.ts';
import type { KindedResource, ResourceKind } from './suspects.ts';

const called = (cluster_name: string): Json => ({ grpc_service: { envoy_grpc: { cluster_name } } });

describe('clustersCalledBy', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['a service of gRPC', [{ filters: [called('authorizer')] }], ['authorizer']],
    ['a collector of traces', { tracing: { collector_cluster: 'traces' } }, ['traces']],
    ['an address that keys are fetched from', { http_uri: { uri: 'https://i', cluster: 'keys' } }, ['keys']],
    ['a route, where requests go to', { routes: [{ route: { cluster: 'web' } }] }, []],
    ['a TCP proxy, where connections go to', { name: 'tcp', cluster: 'web' }, []],
    ['a cluster that is no text', { cluster_name: 1, collector_cluster: null }, []],
  ])('finds them in %s', (_name, value, expected) => {
    expect([...clustersCalledBy(value)]).toEqual(expected);
  });
});

describe('formOf', () => {
  const resource = (kind: ResourceKind, name: string, fields: Json = {}): KindedResource => {
    const json = { name, ...fields };
    return { kind, resource: { name, version: JSON.stringify(json), json, text: JSON.stringify(json) } };
  };
  const listener = (name: string, route: string, fields: Json = {}): KindedResource =>
    resource('listeners', name, { rds: { route_config_name: route }, ...fields });
  const all = [
    resource('clusters', 'authorizer'),
    resource('clusters', 'web'),
    resource('routes', 'r1'),
    resource('routes', 'r2'),
    listener('l1', 'r1', { filter: called('authorizer') }),
    listener('l2', 'r2'),
    listener('l3', 'r1'),
  ];
  const judged = (...changed: readonly KindedResource[]): unknown => {
    const form = formOf({ node: { id: 'x' } }, [...all, ...changed], changed) as {
      readonly static_resources: Readonly<Record<string, readonly Json[]>>;
    };
    const { listeners = [], clusters = [] } = form.static_resources;
    return [listeners, clusters.map(({ name }) => name)];
  };
  const inlined = (name: string, route: string, fields: Json = {}): Json => ({
    ...{ name, ...fields },
    route_config: { name: route, validate_clusters: false },
  });

  test('is a changed cluster alone', () => {
    expect(judged(resource('clusters', 'web'))).toEqual([[], ['web']]);
  });

  test('is a changed listener in its new form, with its routes and the clusters that it calls', () => {
    const changed = listener('l2', 'r2', { filter: called('authorizer') });
    expect(judged(changed)).toEqual([[inlined('l2', 'r2', { filter: called('authorizer') })], ['authorizer']]);
    expect(judged(listener('l3', 'r1'))).toEqual([[inlined('l3', 'r1')], []]);
  });

  test('is every listener that uses a changed route', () => {
    expect(judged(resource('routes', 'r1'))).toEqual([
      [inlined('l1', 'r1', { filter: called('authorizer') }), inlined('l3', 'r1')],
      ['authorizer'],
    ]);
  });
});

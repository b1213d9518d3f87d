import { describe, expect, test } from 'vitest';
import { formatPath, parsePath } from '../../diagnostics/json-path.ts';
import { canonicalMessage } from './canonical.ts';
import { checkMessage } from './check.ts';

const listener = 'envoy.config.listener.v3.Listener';
const bootstrap = 'envoy.config.bootstrap.v3.Bootstrap';
const cluster = 'envoy.config.cluster.v3.Cluster';
const tcp = 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';
const typedStruct = 'type.googleapis.com/xds.type.v3.TypedStruct';

type Json = Readonly<Record<string, unknown>>;

const inFilter = (typed_config: object): Json => ({ filter_chains: [{ filters: [{ name: 'tcp', typed_config }] }] });

describe('canonicalMessage', () => {
  test.each<[string, string, Json, Json]>([
    [
      'fields by their names in the schema, at every depth',
      listener,
      { filterChains: [{ filterChainMatch: { destinationPort: 80 } }], name: 'a' },
      { filter_chains: [{ filter_chain_match: { destination_port: 80 } }], name: 'a' },
    ],
    [
      'the message of an Any',
      listener,
      inFilter({ '@type': tcp, statPrefix: 'x', weightedClusters: { clusters: [{ name: 'a' }] } }),
      inFilter({ '@type': tcp, stat_prefix: 'x', weighted_clusters: { clusters: [{ name: 'a' }] } }),
    ],
    [
      'values of maps, whose keys are no fields',
      cluster,
      { typedExtensionProtocolOptions: { aB: { '@type': tcp, statPrefix: 'x' } }, metadata: { filterMetadata: {} } },
      {
        typed_extension_protocol_options: { aB: { '@type': tcp, stat_prefix: 'x' } },
        metadata: { filter_metadata: {} },
      },
    ],
    [
      'structs as they are',
      bootstrap,
      { node: { metadata: { aB: { cD: null } } } },
      { node: { metadata: { aB: { cD: null } } } },
    ],
    ['no field that is null', bootstrap, { admin: null, node: { id: 'a' } }, { node: { id: 'a' } }],
    ['enums by name', listener, { traffic_direction: 1 }, { traffic_direction: 'INBOUND' }],
    [
      'numbers of 32 bits as numbers, in wrappers too',
      listener,
      { address: { socketAddress: { portValue: '15000' } }, perConnectionBufferLimitBytes: '1e3' },
      { address: { socket_address: { port_value: 15000 } }, per_connection_buffer_limit_bytes: 1000 },
    ],
    [
      'a number in quotes beyond all doubles as it is: JSON would write it as null',
      'envoy.config.core.v3.RuntimeDouble',
      { defaultValue: '1e400' },
      { default_value: '1e400' },
    ],
    ['a text that holds a number as a text', bootstrap, { node: { id: '1' } }, { node: { id: '1' } }],
    [
      'a TypedStruct as the message that it stands for',
      listener,
      inFilter({ '@type': typedStruct, typeUrl: tcp, value: { statPrefix: 'x' } }),
      inFilter({ '@type': tcp, stat_prefix: 'x' }),
    ],
    [
      'the spelling of the schema where the other one is null',
      bootstrap,
      { static_resources: null, staticResources: {} },
      { static_resources: {} },
    ],
    [
      'a field that is called __proto__',
      bootstrap,
      JSON.parse('{"node": {"__proto__": 1}}') as Json,
      JSON.parse('{"node": {"__proto__": 1}}') as Json,
    ],
  ])('has %s', (_, type, written, expected) => {
    const { json, spelledTwice } = canonicalMessage(type, written);
    expect(JSON.stringify(json)).toBe(JSON.stringify(expected));
    expect(spelledTwice).toEqual([]);
    expect(canonicalMessage(type, json).json).toEqual(json);
  });

  test.each<[string, string, Json]>([
    ['what the type does not have', bootstrap, { nodes: { aB: 1 }, node: { idd: 1 } }],
    ['what is of another shape', bootstrap, { node: [1], static_resources: { clusters: {} }, admin: 'x' }],
    ['an Any of a type that Envoy lacks', listener, inFilter({ '@type': 'type.googleapis.com/a.B', aB: 1 })],
    ['a TypedStruct of such a type', listener, inFilter({ '@type': typedStruct, type_url: 'a/a.B', value: { aB: 1 } })],
    [
      'a TypedStruct that says its type twice',
      listener,
      inFilter({ '@type': typedStruct, type_url: tcp, value: { '@type': tcp } }),
    ],
    ['a number with needless zeros', listener, { address: { socket_address: { port_value: '015000' } } }],
  ])('leaves %s to the checker', (_, type, written) => {
    expect(canonicalMessage(type, written).json).toEqual(written);
    expect(checkMessage(type, written)).not.toEqual([]);
  });

  test('keeps and reports a field that is present in two spellings', () => {
    const { json, spelledTwice } = canonicalMessage(bootstrap, {
      static_resources: { clusters: [{ load_assignment: {}, loadAssignment: {} }] },
      staticResources: {},
      node: { metadata: { a_b: 1, aB: 1 } },
    });
    expect(spelledTwice.map(formatPath)).toEqual(['static_resources.clusters[0].loadAssignment', 'staticResources']);
    expect(checkMessage(bootstrap, json).filter(({ code }) => code === 'duplicate-field')).toHaveLength(2);
  });

  test('leaves what is too deep for Envoy to the checker, and its own stack in peace', () => {
    let written: Json = {};
    for (let i = 0; i < 20_000; i++) written = { not_rule: written };
    const type = 'envoy.config.rbac.v3.Permission';
    expect(checkMessage(type, canonicalMessage(type, written).json)).toMatchObject([{ code: 'too-deep' }]);
  });
});

describe('CanonicalPlaces', () => {
  const { places } = canonicalMessage(listener, {
    filterChains: [
      { filters: [{ typedConfig: { '@type': typedStruct, type_url: tcp, value: { statPrefix: 'x', cluster: 'c' } } }] },
    ],
  });

  test.each([
    ['filter_chains[0].filters', 'filterChains[0].filters'],
    ['filter_chains[0].filters[0].typed_config', 'filterChains[0].filters[0].typedConfig'],
    ['filter_chains[0].filters[0].typed_config.stat_prefix', 'filterChains[0].filters[0].typedConfig.value.statPrefix'],
    ['filter_chains[0].filters[0].typed_config.cluster', 'filterChains[0].filters[0].typedConfig.value.cluster'],
    ['filter_chains[0].missing.too', 'filterChains[0].missing.too'],
  ])('leads %s to where it was written, and back', (path, written) => {
    expect(formatPath(places.written(parsePath(path)))).toBe(written);
    expect(formatPath(places.canonical(parsePath(written)))).toBe(path);
  });

  test('leads the value of a TypedStruct to the message', () => {
    const written = parsePath('filterChains[0].filters[0].typedConfig.value');
    expect(formatPath(places.canonical(written))).toBe('filter_chains[0].filters[0].typed_config');
  });
});

import { clusterSamples } from './cluster-samples.ts';
import { inboundListener, outboundListener, tcpListener } from './listener-samples.ts';
import { protocolListener } from './protocol-samples.ts';

/** A whole bootstrap that Envoy accepts. */
export interface Sample {
  readonly name: string;
  readonly bootstrap: object;
}

/** Good configurations that use the types which this product emits: what the corpus makes its broken ones from. */
export function samples(): readonly Sample[] {
  return [
    { name: 'inbound', bootstrap: bootstrap([inboundListener()]) },
    { name: 'outbound', bootstrap: bootstrap([outboundListener()]) },
    { name: 'tcp', bootstrap: bootstrap([tcpListener()]) },
    { name: 'protocols', bootstrap: bootstrap([protocolListener()]) },
  ];
}

function bootstrap(listeners: readonly object[]): object {
  return {
    node: {
      id: 'sidecar~10.0.0.1~shop.default~default.svc.cluster.local',
      cluster: 'shop.default',
      locality: { region: 'r1', zone: 'z1', sub_zone: 's1' },
      metadata: { NAMESPACE: 'default', LABELS: { app: 'shop' }, weights: [1, 2.5, null, true] },
    },
    admin: { address: { pipe: { path: '/tmp/corpus-admin.sock' } } },
    stats_config: {
      use_all_default_tags: false,
      stats_tags: [{ tag_name: 'cluster_name', regex: '^cluster\\.((.+?)\\.)' }],
      stats_matcher: { inclusion_list: { patterns: [{ prefix: 'cluster.' }, { safe_regex: { regex: 'http\\..*' } }] } },
    },
    stats_flush_interval: '5s',
    layered_runtime: { layers: [{ name: 'static', static_layer: { 'overload.global': 1000 } }] },
    overload_manager: {
      refresh_interval: '0.25s',
      resource_monitors: [
        {
          name: 'envoy.resource_monitors.global_downstream_max_connections',
          typed_config: {
            '@type':
              'type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
            max_active_downstream_connections: '10000',
          },
        },
      ],
    },
    static_resources: { listeners, clusters: clusterSamples() },
  };
}

/** A listener whose chains end in the proxies of other protocols than HTTP. */
export function protocolListener(): object {
  const chain = (port: number, filter: object): object => ({
    filter_chain_match: { destination_port: port },
    filters: [filter],
  });
  return {
    name: 'protocols',
    address: { socket_address: { address: '127.0.0.1', port_value: 15002 } },
    filter_chains: [chain(6379, redisProxy()), chain(9090, thriftProxy())],
    access_log: [chainLog()],
  };
}

function redisProxy(): object {
  return {
    name: 'envoy.filters.network.redis_proxy',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.redis_proxy.v3.RedisProxy',
      stat_prefix: 'outbound|6379||cache',
      settings: { op_timeout: '5s' },
      faults: [
        {
          fault_type: 'ERROR',
          fault_enabled: { default_value: { numerator: 100, denominator: 'HUNDRED' } },
          commands: ['SELECT'],
        },
      ],
      prefix_routes: { catch_all_route: { cluster: 'dns' } },
    },
  };
}

function thriftProxy(): object {
  return {
    name: 'envoy.filters.network.thrift_proxy',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.thrift_proxy.v3.ThriftProxy',
      stat_prefix: 'outbound|9090||numbers',
      transport: 'AUTO_TRANSPORT',
      protocol: 'AUTO_PROTOCOL',
      route_config: {
        name: 'numbers',
        validate_clusters: false,
        routes: [
          {
            match: { method_name: 'count' },
            route: {
              weighted_clusters: {
                clusters: [
                  { name: 'dns', weight: 9 },
                  { name: 'BlackHoleCluster', weight: 1 },
                ],
              },
            },
          },
          { match: { method_name: '' }, route: { cluster: 'dns' } },
        ],
      },
    },
  };
}

function chainLog(): object {
  return {
    name: 'envoy.access_loggers.file',
    filter: {
      extension_filter: {
        name: 'envoy.access_loggers.extension_filters.cel',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter',
          expression: 'xds.filter_chain_name == "a"',
        },
      },
    },
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
      path: '/dev/null',
    },
  };
}

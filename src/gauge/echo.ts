/** Where the echo listens, relative to Envoy's working directory. */
export const echoSocket = 'echo.sock';

/** So much of the path the echo tells: a longer answer would be refused. */
export const sawPathLength = 16_000;

/** Headers of which the echo says what it saw. */
export const sawHeaders = [
  'x-team',
  'x-role',
  'x-own',
  'x-to',
  'x-forwarded-host',
  'x-payload',
  'x-forwarded-for',
  'x-forwarded-proto',
] as const;

/** A cluster of this name whose only endpoint is the echo. */
export function echoCluster(name: string): object {
  const endpoint = { address: { pipe: { path: echoSocket } } };
  return {
    name,
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
}

/** Answers 200 and says what it saw of the request, in headers. */
export function echoListener(): object {
  const header = (key: string, value: string): object => ({ header: { key, value } });
  return {
    name: 'echo',
    address: { pipe: { path: echoSocket } },
    filter_chains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typed_config: {
              '@type':
                'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
              stat_prefix: 'echo',
              normalize_path: false,
              http_filters: [
                {
                  name: 'envoy.filters.http.router',
                  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
                },
              ],
              route_config: {
                name: 'echo',
                response_headers_to_add: [
                  header('x-saw-path', `%REQ(:PATH):${sawPathLength}%`),
                  header('x-saw-host', '%REQ(:AUTHORITY)%'),
                  ...sawHeaders.map((name) => header(`x-saw-${name}`, `%REQ(${name})%`)),
                ],
                virtual_hosts: [
                  {
                    name: 'echo',
                    domains: ['*'],
                    routes: [{ match: { prefix: '' }, direct_response: { status: 200 } }],
                  },
                ],
              },
            },
          },
        ],
      },
    ],
  };
}

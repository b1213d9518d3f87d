/** Both ends of the client's connection: who joins the log with what was sent knows them. */
const ends = { peer: '%DOWNSTREAM_DIRECT_REMOTE_ADDRESS%', local: '%DOWNSTREAM_LOCAL_ADDRESS%' };

const requestFields = {
  kind: 'request',
  ...ends,
  status: '%RESPONSE_CODE%',
  details: '%RESPONSE_CODE_DETAILS%',
  chain: '%FILTER_CHAIN_NAME%',
  route: '%ROUTE_NAME%',
  cluster: '%UPSTREAM_CLUSTER_RAW%',
  grpc: '%RESP(grpc-status)%',
  rule: '%DYNAMIC_METADATA(envoy.filters.http.rbac:enforced_effective_policy_id)%',
};

const connectionFields = {
  kind: 'connection',
  ...ends,
  cluster: '%UPSTREAM_CLUSTER_RAW%',
  details: '%CONNECTION_TERMINATION_DETAILS%',
  chain: '%FILTER_CHAIN_NAME%',
  failure: '%DOWNSTREAM_TRANSPORT_FAILURE_REASON%',
};

/** Where Envoy writes them, relative to its working directory. */
export const accessLogFile = 'access.log';

/** Tells of each request that a connection manager answers or sends on. `gate` stands in each entry. */
export function requestLog(gate: string): object {
  return accessLog({ ...requestFields, gate });
}

/** Tells of each connection of a listener when it has ended. */
export function connectionLog(gate: string): object {
  return accessLog({ ...connectionFields, gate });
}

/** One line of either log. */
export type LogEntry = Readonly<Record<string, string | number | null>>;

/** A log of one's own as JSON. */
export function accessLog(fields: object, path: string = accessLogFile): object {
  return {
    name: 'envoy.access_loggers.file',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
      path,
      log_format: { json_format: fields },
    },
  };
}

import type { Settings } from '../../config/settings.ts';
import type { AccessLogIR } from '../ir/listener.ts';

/** The access log that the mesh configuration asks for; one object a settings value. Its format has been checked. */
export function accessLog(settings: Settings): AccessLogIR | undefined {
  if (settings.accessLogFile === '') return undefined;
  let log = made.get(settings);
  if (log === undefined) {
    log = { path: settings.accessLogFile, format: format(settings) };
    made.set(settings, log);
  }
  return log;
}

const made = new WeakMap<Settings, AccessLogIR>();

function format({ accessLogFormat: written, accessLogEncoding }: Settings): AccessLogIR['format'] {
  if (accessLogEncoding === 'JSON') {
    return { json: written === '' ? defaultFields : (JSON.parse(written) as Readonly<Record<string, unknown>>) };
  }
  if (written === '') return { text: `${defaultText}\n` };
  // Envoy itself ends no line.
  return { text: written.endsWith('\n') ? written : `${written}\n` };
}

/** Envoy's own default line, then what a mesh is asked about: why, which TLS failure, which route, who to whom. */
export const defaultText = [
  '[%START_TIME%]',
  '"%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%"',
  '%RESPONSE_CODE% %RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS%',
  '"%UPSTREAM_TRANSPORT_FAILURE_REASON%"',
  '%BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
  '"%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%"',
  '"%UPSTREAM_HOST%" %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS%',
  '%DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%',
].join(' ');

/** The JSON form of the default: the same and the client's identity, by key. */
export const defaultFields: Readonly<Record<string, string>> = {
  authority: '%REQ(:AUTHORITY)%',
  bytes_received: '%BYTES_RECEIVED%',
  bytes_sent: '%BYTES_SENT%',
  connection_termination_details: '%CONNECTION_TERMINATION_DETAILS%',
  downstream_local_address: '%DOWNSTREAM_LOCAL_ADDRESS%',
  downstream_peer_uri_san: '%DOWNSTREAM_PEER_URI_SAN%',
  downstream_remote_address: '%DOWNSTREAM_REMOTE_ADDRESS%',
  duration: '%DURATION%',
  method: '%REQ(:METHOD)%',
  path: '%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%',
  protocol: '%PROTOCOL%',
  request_id: '%REQ(X-REQUEST-ID)%',
  requested_server_name: '%REQUESTED_SERVER_NAME%',
  response_code: '%RESPONSE_CODE%',
  response_code_details: '%RESPONSE_CODE_DETAILS%',
  response_flags: '%RESPONSE_FLAGS%',
  route_name: '%ROUTE_NAME%',
  start_time: '%START_TIME%',
  upstream_cluster: '%UPSTREAM_CLUSTER%',
  upstream_host: '%UPSTREAM_HOST%',
  upstream_local_address: '%UPSTREAM_LOCAL_ADDRESS%',
  upstream_service_time: '%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
  upstream_transport_failure_reason: '%UPSTREAM_TRANSPORT_FAILURE_REASON%',
  user_agent: '%REQ(USER-AGENT)%',
  x_forwarded_for: '%REQ(X-FORWARDED-FOR)%',
};

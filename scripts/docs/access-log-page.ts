import { defaultFields, defaultText } from '../../src/compiler/lower/access-log.ts';
import { code, table } from './markdown.ts';

const introduction = `# Access log

The formats are written by \`make docs\` from \`src/compiler/lower/access-log.ts\`.

Envoy writes the access log: one line for each request, and one for each TCP connection when it ends. It is off unless the
[mesh configuration](mesh-configuration.md) sets \`accessLogFile\`.

| setting | meaning |
|---|---|
| \`accessLogFile\` | a path, \`/dev/stdout\` or \`/dev/stderr\`; empty: no access log |
| \`accessLogEncoding\` | \`TEXT\` or \`JSON\` |
| \`accessLogFormat\` | a format of your own: a line with Envoy's command operators, or under \`JSON\` a JSON object whose values hold them. It is checked before anything is written |
| \`enableEnvoyAccessLogService\` | send entries over gRPC to \`envoyAccessLogService\` of the ProxyConfig |

\`\`\`yaml
accessLogFile: /dev/stdout
accessLogEncoding: JSON
\`\`\`

Programs that read the log should be given JSON: under \`TEXT\` Envoy escapes nothing, so a client can put a quote or a space
into a path or a user agent. Envoy writes entries to a file within 10 s, or when 64 KiB have been collected;
\`pilot-agent request POST reopen_logs\` writes them at once. Times are in UTC.

Connections that Envoy refuses are logged in a form of their own, inbound ones also without this setting:
[Logs of the agent](logging.md#connections-that-envoy-refuses).
`;

/** What each operator of the default formats stands for. */
const meanings: Readonly<Record<string, string>> = {
  BYTES_RECEIVED: 'bytes of the request body; of a TCP connection, bytes from the client',
  BYTES_SENT: 'bytes of the response body; of a TCP connection, bytes to the client',
  CONNECTION_TERMINATION_DETAILS: 'why Envoy ended the connection, such as the policy that refused a TCP connection',
  DOWNSTREAM_LOCAL_ADDRESS: 'address that the client called',
  DOWNSTREAM_PEER_URI_SAN: "identity in the client's verified certificate",
  DOWNSTREAM_REMOTE_ADDRESS: "the client's address",
  DURATION: 'milliseconds from the start of the request to the last byte of the response',
  PROTOCOL: 'HTTP version',
  'REQ(:AUTHORITY)': 'host that was asked for',
  'REQ(:METHOD)': 'method',
  'REQ(USER-AGENT)': 'header `User-Agent`',
  'REQ(X-ENVOY-ORIGINAL-PATH?:PATH)': 'path, as it was before a rewrite',
  'REQ(X-FORWARDED-FOR)': 'header `X-Forwarded-For`',
  'REQ(X-REQUEST-ID)': 'id of the request, the same at each proxy on its way',
  REQUESTED_SERVER_NAME: 'server name (SNI) of the TLS handshake',
  'RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)': 'milliseconds that the upstream took',
  RESPONSE_CODE: 'status; 0 for a TCP connection, or if the client left before',
  RESPONSE_CODE_DETAILS: 'what made the status: `via_upstream`, or the filter and policy that answered',
  RESPONSE_FLAGS: "Envoy's response flags: what went wrong",
  ROUTE_NAME: 'name of the route',
  START_TIME: 'when the request began',
  UPSTREAM_CLUSTER: 'cluster that the request was sent to',
  UPSTREAM_HOST: 'address of the endpoint',
  UPSTREAM_LOCAL_ADDRESS: "the proxy's own address on that connection",
  UPSTREAM_TRANSPORT_FAILURE_REASON: 'why TLS with the endpoint failed',
};

/** The settings of the access log, and both default formats. */
export function accessLogPage(): string {
  const keyOf = new Map(Object.entries(defaultFields).map(([key, operator]) => [operator, key]));
  const operators = [...defaultText.matchAll(/%[^%]+%/g)].map(([operator]) => operator);
  const onlyJson = Object.values(defaultFields).filter((operator) => !operators.includes(operator));
  const rows = [...operators, ...onlyJson].map((operator) => [
    code(operator),
    code(keyOf.get(operator) ?? ''),
    onlyJson.includes(operator) ? 'no' : 'yes',
    meaningOf(operator),
  ]);
  return `${introduction}
## Default text format

One line, which is broken here to be readable:

\`\`\`text
${defaultText.replaceAll('" ', '"\n').replaceAll('] ', ']\n')}
\`\`\`

## Fields of both default formats

The JSON format has the keys of this table, in alphabetical order. A value that does not exist is \`-\` in text and null in JSON.

${table(['operator', 'JSON key', 'in text', 'meaning'], rows)}
`;
}

function meaningOf(operator: string): string {
  const meaning = meanings[operator.slice(1, -1)];
  if (meaning === undefined) throw new Error(`the operator ${operator} of the access log is not explained`);
  return meaning;
}

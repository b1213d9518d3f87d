import type { Protocol } from './protocol.ts';

export interface PortHints {
  readonly number: number;
  readonly name: string;
  /** Layer 4; absent is TCP. */
  readonly transport?: string | undefined;
  /** `appProtocol` of a Service, `protocol` of a ServiceEntry. */
  readonly appProtocol?: string | undefined;
}

/**
 * Protocol of a service port: layer 4, then the declared protocol, else the port's name up to its first `-`, else the
 * ports that are known to speak first on the server's side; what remains is detected on the connection.
 */
export function selectProtocol(port: PortHints): Protocol {
  if (port.transport === 'UDP' || port.transport === 'SCTP') return 'udp';
  const text = (port.appProtocol || port.name).toLowerCase();
  const known = text.startsWith('grpc-web') ? 'grpc-web' : protocols.get(text.split('-', 1)[0] ?? '');
  return known ?? (serverFirstPorts.has(port.number) ? 'tcp' : 'auto');
}

const protocols: ReadonlyMap<string, Protocol> = new Map([
  ['tcp', 'tcp'],
  ['udp', 'udp'],
  ['grpc', 'grpc'],
  ['http', 'http'],
  ['http_proxy', 'http'],
  ['http2', 'http2'],
  ['https', 'https'],
  ['thrift', 'thrift'],
  ['tls', 'tls'],
  ['mongo', 'mongo'],
  ['redis', 'redis'],
  ['mysql', 'mysql'],
  // Values that Kubernetes itself defines for `appProtocol`.
  ['kubernetes.io/h2c', 'http2'],
  ['kubernetes.io/ws', 'http'],
  ['kubernetes.io/wss', 'https'],
]);

/** SMTP, DNS, MySQL, MongoDB: detection would wait for a client that waits for the server. */
const serverFirstPorts: ReadonlySet<number> = new Set([25, 53, 3306, 27017]);

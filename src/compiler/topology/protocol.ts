/** Application protocol of a service port. `auto` is detected on the connection. */
export type Protocol =
  | 'http'
  | 'http2'
  | 'grpc'
  | 'grpc-web'
  | 'tcp'
  | 'tls'
  | 'https'
  | 'mongo'
  | 'redis'
  | 'mysql'
  | 'thrift'
  | 'udp'
  | 'auto';

/** What a listener does with a protocol; `none` has no listener and no cluster. */
export type ProtocolClass = 'http' | 'tcp' | 'auto' | 'none';

/** `auto` becomes `tcp` where the side's detection is switched off. */
export function protocolClass(protocol: Protocol, isSniffing: boolean): ProtocolClass {
  switch (protocol) {
    case 'http':
    case 'http2':
    case 'grpc':
    case 'grpc-web':
      return 'http';
    case 'udp':
      return 'none';
    case 'auto':
      return isSniffing ? 'auto' : 'tcp';
    default:
      return 'tcp';
  }
}

/** True for protocols whose upstream speaks HTTP/2. */
export function isHttp2(protocol: Protocol): boolean {
  return protocol === 'http2' || protocol === 'grpc' || protocol === 'grpc-web';
}

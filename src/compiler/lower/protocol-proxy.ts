import type { Settings } from '../../config/settings.ts';
import type { Protocol } from '../topology/protocol.ts';

/** A filter of Envoy that knows a protocol and takes the place of the TCP proxy. */
export type ProtocolProxy = 'redis' | 'thrift';

/** The filter that a variable asks for on ports of a protocol; a sidecar's alone, whose clients are its own workload. */
export function protocolProxy(
  protocol: Protocol,
  role: 'sidecar' | 'router',
  settings: Pick<Settings, 'redisProxy' | 'thriftProxy'>,
): ProtocolProxy | undefined {
  if (role !== 'sidecar') return undefined;
  if (protocol === 'redis' && settings.redisProxy) return 'redis';
  if (protocol === 'thrift' && settings.thriftProxy) return 'thrift';
  return undefined;
}

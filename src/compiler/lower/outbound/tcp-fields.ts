import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import type { TrafficBlocks } from '../../../policy/destination-rule.ts';
import { fieldSpan } from '../origins.ts';
import type { ProtocolProxy } from '../protocol-proxy.ts';
import type { Placement } from './placement.ts';

/** Tells which fields of a port's rule only the TCP proxy heeds, where another filter stands in its place. */
export function reportFieldsOfTcp({ outbound, port }: Placement, proxy: ProtocolProxy, bag: DiagnosticBag): void {
  const traffic = outbound.subsets[0]?.traffic.get(port.number);
  if (traffic === undefined) return;
  const { connectionPool: { tcp } = {}, loadBalancer: { consistentHash } = {} } = traffic.blocks;
  const warn = (why: string, block: keyof TrafficBlocks, ...path: JsonPath): void => {
    const origin = traffic.origins.decidedBy.find(({ field }) => field.includes(block));
    const span = origin && fieldSpan(origin, block, ...path);
    bag.report('field-without-effect', span, { field: String(path.at(-1)), host: outbound.service.host, why });
  };
  const name = proxy === 'redis' ? 'Redis' : 'Thrift';
  for (const field of ['idleTimeout', 'maxConnectionDuration'] as const) {
    if (tcp?.[field] !== undefined) warn(`the ${name} proxy bounds no connection`, 'connectionPool', 'tcp', field);
  }
  if (proxy === 'redis' && tcp?.maxConnections !== undefined) {
    const why = 'the Redis proxy has one connection to each endpoint';
    warn(why, 'connectionPool', 'tcp', 'maxConnections');
  }
  const why = proxy === 'redis' ? 'commands are shared out by their key' : 'the Thrift proxy hashes nothing';
  for (const field of ['httpHeaderName', 'httpCookie', 'useSourceIp', 'httpQueryParameterName'] as const) {
    if (consistentHash?.[field] !== undefined) warn(why, 'loadBalancer', 'consistentHash', field);
  }
}

import type { ConnectionMatch, HttpMatch } from '../../../policy/virtual-service.ts';
import { gatewayName } from '../../topology/gateway-name.ts';
import { selects } from '../../topology/selector.ts';
import type { RouteContext } from './route-context.ts';

type ClientMatch = Pick<HttpMatch & ConnectionMatch, 'gateways' | 'port' | 'sourceLabels' | 'sourceNamespace'>;

/**
 * Whether a match is for this proxy and port at all. Labels and namespace are the client's; at a gateway that the match
 * names they say nothing, since the client is outside.
 */
export function isForClient(
  match: ClientMatch,
  namespace: string,
  { gateway, listenPort, client }: Pick<RouteContext, 'gateway' | 'listenPort' | 'client'>,
): boolean {
  if (match.port !== undefined && match.port !== listenPort) return false;
  if (match.gateways !== undefined && match.gateways.length > 0) {
    if (!match.gateways.some((name) => gatewayName(name, namespace) === gateway)) return false;
    if (gateway !== 'mesh') return true;
  }
  if (match.sourceNamespace && match.sourceNamespace !== client.namespace) return false;
  return selects(match.sourceLabels, client.labels);
}

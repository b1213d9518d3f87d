import type { Settings } from '../../../config/settings.ts';
import type { AlpnOverrideIR } from '../../ir/listener.ts';
import type { RouteConfigurationIR } from '../../ir/route.ts';
import type { EffectiveOutbound } from '../../merge/effective.ts';
import { protocolClass } from '../../topology/protocol.ts';
import { meshAlpn, outboundCluster } from '../names.ts';

/**
 * A detected port's cluster offers the token for bytes; HTTP requests from a gateway must offer the one for HTTP, else
 * the server would judge them as bytes. Servers outside the mesh must see neither, so one of those among the routes
 * keeps the clusters' own offers.
 */
export function alpnOverride(
  table: RouteConfigurationIR,
  services: readonly EffectiveOutbound[],
  settings: Settings,
): AlpnOverrideIR | undefined {
  const routed = routedClusters(table);
  let isNeeded = false;
  for (const { service, subsets } of services) {
    for (const { name, traffic } of subsets) {
      for (const port of service.ports) {
        if (!routed.has(outboundCluster(service.host, port.number, name))) continue;
        const mode = traffic.get(port.number)?.blocks.tls?.mode;
        if (mode === 'SIMPLE' || mode === 'MUTUAL') return undefined;
        if (protocolClass(port.protocol, settings.sniffOutbound) === 'auto') isNeeded = true;
      }
    }
  }
  return isNeeded ? { alpn: [meshAlpn.http11, meshAlpn.tcp] } : undefined;
}

function routedClusters({ virtualHosts }: RouteConfigurationIR): ReadonlySet<string> {
  const actions = virtualHosts.flatMap(({ routes }) => routes.map(({ action }) => action));
  return new Set(
    actions.flatMap((action) => {
      if (action.kind === 'cluster') return [action.cluster];
      return action.kind === 'weighted-clusters' ? action.clusters.map(({ cluster }) => cluster) : [];
    }),
  );
}

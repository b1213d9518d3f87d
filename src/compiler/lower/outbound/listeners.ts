import type { Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { ListenerIR } from '../../ir/listener.ts';
import type { ConflictIR } from '../../ir/proxy.ts';
import type { UpstreamTransport } from '../../ir/tls.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import { protocolClass } from '../../topology/protocol.ts';
import type { Lowering } from '../lowering.ts';
import { outboundCluster } from '../names.ts';
import { wildcardAddresses } from '../wildcard.ts';
import { addressesInBlocks } from './addresses-in-blocks.ts';
import { type ListenerDraft, ListenerDrafts } from './draft.ts';
import { outboundListener } from './listener.ts';
import type { MeshRoutes } from './mesh-routes.ts';

import { servicePlacements } from './service-placements.ts';
import { proxyChoice } from './service-proxy.ts';
import { unknownDestinations } from './unknown-destinations.ts';
import { virtualOutbound } from './virtual-outbound.ts';

/** Which service owns which part of which listener; `services` are oldest first. */
export function draftListeners(
  scope: ClientScope,
  services: readonly EffectiveOutbound[],
  meshRoutes: MeshRoutes,
  settings: Settings,
  bag: DiagnosticBag,
): { readonly drafts: readonly ListenerDraft[]; readonly conflicts: readonly ConflictIR[] } {
  const drafts = new ListenerDrafts(wildcardAddresses(scope.families), settings, bag);
  for (const outbound of services) {
    for (const whole of servicePlacements(outbound, scope, settings)) {
      for (const placement of meshRoutes.placementsOf(whole, bag)) drafts.add(placement);
    }
  }
  return { drafts: [...drafts.drafts.values()], conflicts: drafts.conflicts };
}

/** The listener of each draft, and the one that redirected connections reach first; by name. */
export function outboundListeners(
  drafts: readonly ListenerDraft[],
  clusters: readonly ClusterIR[],
  scope: ClientScope,
  lowering: Lowering,
  bag: DiagnosticBag,
): readonly ListenerIR[] {
  const { settings, memo } = lowering;
  const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  const listeners = drafts.map((draft) => listenerOf(draft, byName, { scope, lowering }, bag));
  const unknown = unknownDestinations(scope, settings);
  const label = `virtualOutbound ${scope.families.join()} ${scope.interceptionMode} ${unknown}`;
  const first = memo.of([settings], label, bag, () => virtualOutbound(scope, settings));
  return sortedBy([first, ...listeners], ({ name }) => name);
}

function listenerOf(
  draft: ListenerDraft,
  clusters: ReadonlyMap<string, ClusterIR>,
  { scope, lowering }: { readonly scope: ClientScope; readonly lowering: Lowering },
  bag: DiagnosticBag,
): ListenerIR {
  const [http] = draft.http;
  const { settings } = lowering;
  const unknown = unknownDestinations(scope, settings);
  const { fallback } = draft;
  const takers = [...(fallback === undefined ? [] : [fallback]), ...draft.matched.map(({ placement }) => placement)];
  const targets = takers.flatMap((it) => it.target ?? []);
  const overridesAlpn = needsAlpnOverride(draft, clusters, settings.sniffOutbound);
  // A shared HTTP listener says nothing of its services' rules, so only who opened it counts.
  const inputs = [
    ...(http === undefined ? [] : [http.outbound.service]),
    ...(fallback === undefined ? [] : [fallback.outbound]),
    ...draft.matched.map(({ placement }) => placement.outbound),
    ...targets.map(({ by }) => by),
  ];
  const shape = [
    draft.name,
    draft.addresses.join(),
    http?.routes ?? '',
    fallback === undefined ? '' : 'tcp',
    ...draft.matched.map(({ match }) => JSON.stringify(match)),
    // The services that they lead to are no inputs, so all that is said of them has to stand here.
    ...targets.map(({ by: _, origins: __, ...target }) => JSON.stringify(target)),
    String(overridesAlpn),
    unknown,
    String(draft.isBound),
    // A listener of a Sidecar may have another protocol than the service.
    [...new Set([...draft.http, ...takers].map(({ port }) => port.protocol))].join(),
    addressesInBlocks(draft).join(),
    ...takers.map((placement) => JSON.stringify(proxyChoice(placement, clusters, settings))),
  ];
  const [first, ...rest] = inputs;
  if (first === undefined) throw new Error(`listener ${draft.name} has no owner`);
  return lowering.memo.of([first, ...rest], `listener ${shape.join(' ')}`, bag, (own) =>
    outboundListener(draft, overridesAlpn, clusters, { settings, unknown }, own),
  );
}

/**
 * A detected port's cluster offers the token for bytes; its HTTP requests must offer the one for HTTP. Servers outside
 * the mesh must not see either, so one of those on a shared listener keeps the clusters' own offers.
 */
function needsAlpnOverride(
  { http }: ListenerDraft,
  clusters: ReadonlyMap<string, ClusterIR>,
  isSniffing: boolean,
): boolean {
  let isNeeded = false;
  for (const { outbound, port } of http) {
    const isDetected = protocolClass(port.protocol, isSniffing) === 'auto';
    for (const { name } of outbound.subsets) {
      const transport = clusters.get(outboundCluster(outbound.service.host, port.number, name))?.transport;
      if (transport === undefined) continue;
      if (transport.kind === 'tls' && transport.tls.kind === 'external') return false;
      if (isDetected && isMesh(transport)) isNeeded = true;
    }
  }
  return isNeeded;
}

function isMesh(transport: UpstreamTransport): boolean {
  return transport.kind === 'automatic' || (transport.kind === 'tls' && transport.tls.kind === 'mesh');
}

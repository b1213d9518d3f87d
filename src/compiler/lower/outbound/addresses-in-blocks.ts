import ipaddr from 'ipaddr.js';
import { isFixed } from '../../topology/address.ts';
import type { ListenerDraft } from './draft.ts';
import type { Placement } from './placement.ts';

/**
 * Addresses of HTTP services that lie in blocks which others claim for bytes on the same listener, sorted. A block would
 * take their requests, since Envoy looks at addresses before protocols: a service's own address counts for more.
 */
export function addressesInBlocks({ http, matched }: ListenerDraft): readonly string[] {
  const blocks = matched.flatMap(({ match }) => match.destinationPrefixes).filter((prefix) => prefix.includes('/'));
  if (blocks.length === 0) return [];
  const parsed = blocks.map((block) => ipaddr.parseCIDR(block));
  const isTaken = (address: string): boolean => {
    const target = ipaddr.parse(address);
    return parsed.some(([prefix, bits]) => prefix.kind() === target.kind() && target.match(prefix, bits));
  };
  return [...new Set(http.flatMap(dialed))].filter(isTaken).sort();
}

/** What clients of a service dial; those of a headless one dial its pods. */
function dialed({ outbound: { service }, port }: Placement): readonly string[] {
  if (service.kind !== 'Service') return service.addresses.filter((address) => !address.includes('/'));
  if (!service.isHeadless) return service.addresses;
  const pods = service.facts.ports.get(port.number)?.addresses ?? [];
  return pods.filter((address) => isFixed(address) && !address.startsWith('unix://'));
}

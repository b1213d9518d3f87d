import { networkInterfaces } from 'node:os';
import { Fragment } from '../../envoy/api/fragment.ts';
import type { Json } from '../../envoy/api/resource-file.ts';
import { loopback, type PodAddresses } from './dial.ts';

/**
 * Where probes find the application of a proxy whose bootstrap this is, as a kubelet does: at those addresses of its
 * workload that this machine has; on loopback where it has none of them, since the others are another machine's.
 */
export function addressesOfWorkload(bootstrap: Json, own: ReadonlySet<string> = ownAddresses()): PodAddresses {
  const addresses = new Fragment(bootstrap).at('node', 'metadata', 'INSTANCE_IPS').text ?? '';
  const named = addresses.split(',').filter((address) => own.has(address));
  return named.length === 0 ? loopback : named;
}

function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address)));
}

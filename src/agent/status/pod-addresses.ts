import { networkInterfaces } from 'node:os';
import { loopback, type PodAddresses } from './dial.ts';

interface Bootstrap {
  readonly node?: { readonly metadata?: { readonly INSTANCE_IPS?: string } };
}

/**
 * Where probes find the application of a proxy whose bootstrap this is, as a kubelet does: at those addresses of its
 * workload that this machine has; on loopback where it has none of them, since the others are another machine's.
 */
export function addressesOfWorkload(bootstrap: string, own: ReadonlySet<string> = ownAddresses()): PodAddresses {
  const { node } = JSON.parse(bootstrap) as Bootstrap;
  const named = (node?.metadata?.INSTANCE_IPS ?? '').split(',').filter((address) => own.has(address));
  return named.length === 0 ? loopback : named;
}

function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address)));
}

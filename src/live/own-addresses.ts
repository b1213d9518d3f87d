import { networkInterfaces } from 'node:os';
import { type InterfaceAddress, reachableAddresses } from '../config/address.ts';
import { delay } from '../lib/abort.ts';

/** As long as Istio waits for a network interface. */
const patienceMs = 120_000;
const periodMs = 100;

export interface OwnAddresses {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Is told once when there is none yet. */
  readonly onWait: () => void;
  /** Of the machine by default. */
  readonly list?: () => readonly InterfaceAddress[];
  readonly patienceMs?: number;
}

/**
 * Addresses of this machine's interfaces that others can reach. Waits only while there is none: for two minutes, or until
 * the signal; then those of loopback.
 */
export async function findOwnAddresses(options: OwnAddresses): Promise<readonly string[]> {
  const { signal, onWait, list = ofInterfaces } = options;
  let found = reachableAddresses(list());
  if (found.length > 0) return found;
  onWait();
  const end = performance.now() + (options.patienceMs ?? patienceMs);
  while (found.length === 0 && !signal.aborted && performance.now() < end) {
    await delay(periodMs, signal);
    found = reachableAddresses(list());
  }
  return found.length > 0 ? found : ['127.0.0.1', '::1'];
}

/** The address of a proxy that has one by name, else those that others can reach this machine at now. */
export function proxyAddresses(named: string | undefined): readonly string[] {
  return named === undefined ? reachableAddresses(ofInterfaces()) : [named];
}

function ofInterfaces(): readonly InterfaceAddress[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
}

import { readFileSync } from 'node:fs';

/** Capabilities that redirection needs, by their numbers (capabilities(7)). */
const numbers = { NET_ADMIN: 12n, NET_RAW: 13n } as const;

export type Capability = keyof typeof numbers;

/** One of the sets of /proc/self/status: in effect, kept by a program that this process starts, or ever attainable. */
export type CapabilitySet = 'CapEff' | 'CapAmb' | 'CapBnd';

/** Whether this process has a capability in a set; true where the system does not tell, so that its own words count. */
export function hasCapability(name: Capability, set: CapabilitySet, status: string = readStatus()): boolean {
  const hexadecimal = new RegExp(`^${set}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
  if (hexadecimal === undefined) return true;
  return ((BigInt(`0x${hexadecimal}`) >> numbers[name]) & 1n) === 1n;
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    // No /proc, or not this system.
    return '';
  }
}

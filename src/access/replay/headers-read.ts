import type { World } from '../world.ts';

/** By the model itself, whatever the configuration says. */
const always = [
  'origin',
  'access-control-request-method',
  'content-type',
  'x-forwarded-for',
  'authorization',
  'cookie',
];

/** Headers, in lower case, that a condition of any proxy reads, or where one looks for tokens. */
export function headersRead(worlds: readonly World[]): ReadonlySet<string> {
  const names = new Set(always);
  for (const { proxies } of worlds) {
    for (const { listeners, routes } of proxies.values()) {
      for (const part of [...listeners.values(), ...routes.values()]) collect(part, names);
    }
  }
  return names;
}

function collect(part: unknown, names: Set<string>): void {
  if (typeof part !== 'object' || part === null) return;
  if ('name' in part && typeof part.name === 'string' && ('isInverted' in part || 'prefix' in part)) {
    names.add(part.name.toLowerCase());
  }
  for (const [key, member] of Object.entries(part)) if (key !== 'at') collect(member, names);
}

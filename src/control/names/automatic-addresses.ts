/** Addresses of 240.240.0.0/16 that are given to services; the first and the last of the block are not. */
const places = 65_534;
/** With half of the places free, a free one is never far. */
const mostNames = places / 2;

/**
 * An address for each name that has none, of a block that nobody routes: a proxy leads connections there by the host that
 * they name, or by their port. The same names get the same addresses in every replica; of more names than half of the block has room for, the last ones get none.
 */
export function automaticAddresses(names: readonly string[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  const used = new Set(taken);
  for (const name of [...new Set(names)].sort().slice(0, mostNames)) {
    let place = hashOf(name) % places;
    for (let tries = 0; tries < places && used.has(addressAt(place)); tries++) place = (place + 1) % places;
    const address = addressAt(place);
    if (used.has(address)) break;
    used.add(address);
    given.set(name, address);
  }
  return given;
}

function addressAt(place: number): string {
  return `240.240.${(place + 1) >> 8}.${(place + 1) & 0xff}`;
}

/** FNV-1a of 32 bits: it spreads names, and keeps no secret. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

import { AddressBlock, addressBytes, isIpAddress } from '../model/address-block.ts';
import type { World } from '../world.ts';

const forwardedFor = 'x-forwarded-for';

/** Tells which addresses of clients all proxies treat alike, so that one verdict is enough for all of them. */
export class AddressClasses {
  /** By family and length in bits, the prefixes that some proxy tests. */
  readonly #prefixes = new Map<
    string,
    { readonly family: number; readonly length: number; readonly known: Set<string> }
  >();
  /** Addresses that are more than an address: who has them is a workload, a service, or stands for one. */
  readonly #named = new Set<string>();
  /** Whether a condition reads the header of forwarding proxies as a text. */
  #readsHeader = false;

  /** Of the versions of a mesh; `named` are further addresses that mean something. */
  constructor(worlds: readonly World[], named: Iterable<string> = []) {
    for (const { mesh, proxies } of worlds) {
      for (const { addresses } of [...mesh.workloads, ...mesh.services])
        for (const one of addresses) this.#named.add(one);
      for (const { listeners, routes } of proxies.values()) {
        for (const part of [...listeners.values(), ...routes.values()]) this.#collect(part);
      }
    }
    for (const one of named) this.#named.add(one);
  }

  /** Equal for addresses that are treated alike; undefined for one that nothing may stand for. */
  of(address: string): string | undefined {
    if (this.#named.has(address) || !isIpAddress(address)) return undefined;
    const bytes = addressBytes(address);
    let met = `${bytes.length}`;
    for (const { family, length, known } of this.#prefixes.values()) {
      if (family !== bytes.length) continue;
      const prefix = prefixOf(bytes, length);
      if (known.has(prefix)) met += ` ${length}:${prefix}`;
    }
    return met;
  }

  /** The same for the addresses that forwarding proxies wrote; `peer` is the address of the socket's peer. */
  ofForwarded(text: string, peer: string): string | undefined {
    // Whatever is no plain list of addresses is a text of its own.
    if (this.#readsHeader || !/^[\da-f.:, ]+$/i.test(text)) return undefined;
    const entries = text.split(',').map((entry) => entry.trim());
    const classes = entries.map((entry) => this.of(entry));
    if (classes.includes(undefined)) return undefined;
    return `${classes.join(',')} ${entries.at(-1) === peer}`;
  }

  #collect(part: unknown): void {
    if (typeof part !== 'object' || part === null) return;
    if (part instanceof AddressBlock) {
      const key = `${part.family}/${part.length}`;
      const { family, length } = part;
      const prefixes = this.#prefixes.get(key) ?? { family, length, known: new Set() };
      this.#prefixes.set(key, prefixes);
      prefixes.known.add(prefixOf(part.bytes, length));
      return;
    }
    if ('name' in part && typeof part.name === 'string' && part.name.toLowerCase() === forwardedFor)
      this.#readsHeader = true;
    for (const [key, member] of Object.entries(part)) if (key !== 'at') this.#collect(member);
  }
}

/** The first bits of an address. */
function prefixOf(bytes: readonly number[], length: number): string {
  const whole = length >> 3;
  const rest = length & 7;
  const mask = (0xff << (8 - rest)) & 0xff;
  const last = rest === 0 ? [] : [(bytes[whole] ?? 0) & mask];
  return [...bytes.slice(0, whole), ...last].join('.');
}

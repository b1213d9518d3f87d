import { canonicalBlock, familyOf } from '../../compiler/topology/address.ts';

/** Address blocks by their first address and length, in canonical form; finds the one that contains another. */
export class BlockCover {
  readonly #written = new Map<string, number>();

  /** The first of equal blocks stays. Text that is no block is passed over: the compiler refuses it. */
  add(text: string, index: number): void {
    const block = canonicalBlock(text);
    if (block !== undefined && !this.#written.has(block)) this.#written.set(block, index);
  }

  /** Index of a block, other than that of `self`, which contains all of the given one. */
  around(text: string, self?: number): number | undefined {
    const block = canonicalBlock(text);
    if (block === undefined) return undefined;
    const [address = '', length] = block.split('/');
    const bits = familyOf(address) === 'ipv6' ? 128 : 32;
    for (let size = Number(length ?? bits); size >= 0; size--) {
      const wider = canonicalBlock(`${address}/${size}`);
      const index = wider === undefined ? undefined : this.#written.get(wider);
      if (index !== undefined && index !== self) return index;
    }
    return undefined;
  }
}

import type { Origins } from '../ir/origin.ts';

/** A value of a view that knows who decided the fragment it stands in; only the `json` helper can write it. */
export class Placed<T> {
  readonly value: T;
  readonly origins: Origins;

  constructor(value: T, origins: Origins) {
    this.value = value;
    this.origins = origins;
  }
}

/** A value whose fragment somebody decided, or a built-in default. */
export type Originated<T> = T | Placed<T>;

/** `value` with its origins; the bare value where a built-in default decided. */
export function placed<T>(value: T, origins: Origins): Originated<T> {
  return origins.decidedBy.length === 0 && origins.overrode.length === 0 ? value : new Placed(value, origins);
}

import type { StringMatchIR } from './string-match.ts';

/** How a normalized path without its query is compared; `regex` is the user's own RE2, for the whole path. */
export interface PathMatchIR {
  readonly kind: 'prefix' | 'exact' | 'regex';
  readonly value: string;
  /** Not for `regex`, which says so itself. */
  readonly ignoreCase?: boolean;
}

/** A condition on the value of a header or query parameter. */
export interface ValueMatchIR {
  /** Headers in lower case, pseudo headers with their colon. */
  readonly name: string;
  readonly match: StringMatchIR | 'present';
}

/** All conditions must hold. */
export interface RouteMatchIR {
  readonly path: PathMatchIR;
  readonly headers?: readonly ValueMatchIR[];
  /** An absent header holds: it counts as an empty value. */
  readonly withoutHeaders?: readonly ValueMatchIR[];
  /** Of a parameter that stands twice the first value decides. */
  readonly queryParameters?: readonly ValueMatchIR[];
}

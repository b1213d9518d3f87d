/**
 * An access rule taken apart: each value of each of its fields is a predicate, negative fields too (`notPaths`). The tree
 * has the value that the rule has, for every request.
 */
export type RulePredicates =
  | { readonly kind: 'all' | 'some'; readonly of: readonly RulePredicates[] }
  | {
      readonly kind: 'predicate';
      /** From the root of the object. */
      readonly path: readonly (string | number)[];
      /** Envoy's `Policy` that matches what fulfils this predicate alone. */
      readonly policy: Readonly<Record<string, unknown>>;
    };

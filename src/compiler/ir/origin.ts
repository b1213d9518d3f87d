import type { JsonPath, SpanSource } from '../../diagnostics/span.ts';

/** One field of one object that had a say. Its line is looked up only when it is printed. */
export interface PolicyOrigin {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Path of the deciding field from the object's root. */
  readonly field: JsonPath;
  readonly at: SpanSource;
}

/** Who decided a fragment of Envoy configuration, and who wanted it otherwise. */
export interface Origins {
  readonly decidedBy: readonly PolicyOrigin[];
  readonly overrode: readonly PolicyOrigin[];
}

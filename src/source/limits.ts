/** Bounds on what one input may cost; every one has a diagnostic of its own. */
export interface SourceLimits {
  /** Bytes of one file. */
  readonly maxFileBytes: number;
  /** Levels of mappings and sequences inside one document. */
  readonly maxDepth: number;
  /** Values of one document after its aliases are written out, beyond those that its text can hold by itself. */
  readonly maxAliasNodes: number;
  /** Characters of one key or text. The largest that people write is a Secret, which Kubernetes keeps below 1.4 million. */
  readonly maxTextLength: number;
  /** Values of one document for which positions are kept, and that may use anchors, tags and other risky forms. */
  readonly maxTreeNodes: number;
}

/** Limits when the user says nothing. */
export const defaultLimits: SourceLimits = {
  maxFileBytes: 16 * 1024 * 1024,
  maxDepth: 100,
  maxAliasNodes: 10_000,
  maxTextLength: 2_000_000,
  maxTreeNodes: 40_000,
};

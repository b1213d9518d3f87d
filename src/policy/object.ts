import type { PolicyDocument } from '../source/document.ts';

/** What every object of the input has, after aliases were resolved and its schema held. */
export interface MeshObject<Kind extends string> {
  readonly kind: Kind;
  readonly name: string;
  /** `default` when the object names none; empty for cluster-scoped kinds (Namespace). */
  readonly namespace: string;
  /** Milliseconds since 1970, from `metadata.creationTimestamp`; 0 when absent, so that undated objects are the oldest. */
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Where its fields stand: paths start at the object's root (`['spec', 'host']`). */
  readonly document: PolicyDocument;
}

export interface WorkloadSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

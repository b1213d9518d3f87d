import type { PolicyDocument } from '../source/document.ts';

/** What every object of the input has, after aliases were resolved and its schema held. */
export interface MeshObject<Kind extends string> {
  readonly kind: Kind;
  readonly name: string;
  /** `default` when the object names none; empty for cluster-scoped kinds (Namespace, Node). */
  readonly namespace: string;
  /** Milliseconds since 1970, from `metadata.creationTimestamp`; `notYetCreated` when absent. */
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Where its fields stand: paths start at the object's root (`['spec', 'host']`). */
  readonly document: PolicyDocument;
  /** Of an object that was made of others: which of them says what stands at a path, and where. */
  readonly writtenAs?: (field: Field) => WrittenField;
}

type Field = Parameters<PolicyDocument['spanOf']>[0];

/** A field of an object of the input. */
export interface WrittenField {
  readonly object: MeshObject<string>;
  readonly field: Field;
}

/** Age of an object without a date: the cluster dates each when it is created, so this one comes after all that have one. */
export const notYetCreated = Number.MAX_SAFE_INTEGER;

export interface WorkloadSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

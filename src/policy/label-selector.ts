/** A selector of the Kubernetes API: labels that must be there, and conditions; all of them must hold. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelCondition[];
}

export interface LabelCondition {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** With `In` and `NotIn` alone. */
  readonly values?: readonly string[];
}

/** How a text is compared. `regex` is RE2 over the whole text, made by us and quoted; user text never reaches it raw. */
export interface StringMatchIR {
  readonly kind: 'exact' | 'prefix' | 'suffix' | 'contains' | 'regex';
  readonly value: string;
  /** Not for `regex`, which says so itself. */
  readonly ignoreCase?: boolean;
}

/** The fields of `T` that may be undefined become optional ones, which is how JSON leaves them out. */
export type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** A message of Envoy without the fields that nobody set. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: Partial<Record<keyof T, unknown>> = {};
  for (const key in fields) {
    if (fields[key] !== undefined) kept[key] = fields[key];
  }
  return kept as Present<T>;
}

/** As `present`; undefined when no field is set, so that a template leaves the whole message out. */
export function presentOrNone<T extends object>(fields: T): Present<T> | undefined {
  const kept = present(fields);
  for (const _ in kept) return kept;
  return undefined;
}

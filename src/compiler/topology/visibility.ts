/**
 * Whether an object of `owner` is seen from `client`. `exportTo` holds `*` (all), `.` (its own namespace), `~` (none)
 * and names of namespaces; it is never empty here, defaults are filled in before.
 */
export function isVisible(exportTo: readonly string[], owner: string, client: string): boolean {
  return exportTo.includes('*') || exportTo.includes(client) || (owner === client && exportTo.includes('.'));
}

/** True when no other namespace than its own can see the object. */
export function isPrivate(exportTo: readonly string[], owner: string): boolean {
  return exportTo.every((entry) => entry === '.' || entry === '~' || entry === owner);
}

/** True when some namespace may see both objects. */
export function areSeenTogether(
  a: { readonly exportTo: readonly string[]; readonly namespace: string },
  b: { readonly exportTo: readonly string[]; readonly namespace: string },
): boolean {
  const namespaces = [...a.exportTo, ...b.exportTo, a.namespace, b.namespace].filter((name) => !/^[.~]$/.test(name));
  return namespaces.some(
    (name) => isVisible(a.exportTo, a.namespace, name) && isVisible(b.exportTo, b.namespace, name),
  );
}

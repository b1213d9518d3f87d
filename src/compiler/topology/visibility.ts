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

interface Exported {
  readonly namespace: string;
  readonly exportTo: readonly string[];
}

/** True when some namespace may see both objects. */
export function areSeenTogether(a: Exported, b: Exported): boolean {
  return viewersOf(a, b).length > 0;
}

/** True when a namespace that owns neither of the objects may see both. */
export function areSeenTogetherElsewhere(a: Exported, b: Exported): boolean {
  return viewersOf(a, b).some((name) => name !== a.namespace && name !== b.namespace);
}

/** Namespaces that see both, as far as they are named; `*` stands for those that are not. */
function viewersOf(a: Exported, b: Exported): string[] {
  const candidates = [...a.exportTo, ...b.exportTo, a.namespace, b.namespace];
  return candidates.filter(
    (name) =>
      name !== '.' &&
      name !== '~' &&
      isVisible(a.exportTo, a.namespace, name) &&
      isVisible(b.exportTo, b.namespace, name),
  );
}

import { staticForm } from '../../envoy/static-form.ts';
import type { NamedObject } from './observer.ts';
import { type Json, type ProxyFiles, partsOf } from './proxy-files.ts';
import { changedResources, type NamedResource, type ResourceKind, resourcesOf, suspectsOf } from './suspects.ts';

/** `envoy --mode validate` on one static configuration; the message is Envoy's reason, without the configuration. */
export type ValidateConfig = (config: object) => Promise<{ readonly ok: boolean; readonly message: string }>;

/** Envoy's no to a configuration, and the objects that it is most likely about. */
export interface Refusal {
  readonly message: string;
  readonly suspects: readonly NamedObject[];
}

/** How long the search for the culprit may take: meanwhile no other change is looked at. */
const searchMs = 5_000;

/**
 * Lets Envoy judge `next`, a change of `before`, which it accepts. Undefined when it accepts. Its messages often name
 * nothing, so what it refuses is found by trying parts of the change.
 */
export async function judge(
  before: ProxyFiles,
  next: ProxyFiles,
  validate: ValidateConfig,
): Promise<Refusal | undefined> {
  const { ok, message } = await validate(staticForm(partsOf(next)));
  if (ok) return undefined;
  const changed = changedResources(before, next);
  const culprit = await findCulprit(before, next, changed, validate);
  return { message, suspects: suspectsOf(culprit, before, next) };
}

/**
 * Halves the changes, clusters first and listeners last, so that no part refers to what it lacks: the last resource of
 * the shortest part that Envoy refuses. More than one when the time runs out, or when no part is refused.
 */
async function findCulprit(
  before: ProxyFiles,
  next: ProxyFiles,
  changed: readonly NamedResource[],
  validate: ValidateConfig,
): Promise<readonly NamedResource[]> {
  const deadline = performance.now() + searchMs;
  let accepted = 0;
  let refused = changed.length;
  while (refused - accepted > 1 && performance.now() < deadline) {
    const middle = (accepted + refused) >> 1;
    const { ok } = await validate(withChanges(before, next, changed.slice(0, middle)));
    if (ok) accepted = middle;
    else refused = middle;
  }
  return changed.slice(accepted, refused);
}

/** `before` with some resources of `next` in it, in Envoy's static form. */
function withChanges(before: ProxyFiles, next: ProxyFiles, changes: readonly NamedResource[]): object {
  const all = new Map<string, NamedResource>();
  for (const resource of [...resourcesOf(before), ...changes]) all.set(`${resource.kind} ${resource.name}`, resource);
  const take = (wanted: ResourceKind): Json[] =>
    [...all.values()].filter(({ kind }) => kind === wanted).map(({ value }) => value);
  const { bootstrap } = partsOf(next);
  return staticForm({ bootstrap, listeners: take('listeners'), clusters: take('clusters'), routes: take('routes') });
}

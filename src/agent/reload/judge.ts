import type { NamedObject } from '../../contracts/named-object.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import { ResourceFile } from '../../envoy/api/resource-file.ts';
import { clustersCalledBy, formOf } from './changed-form.ts';
import { changedResources, type KindedResource, resourcesOf, suspectsOf } from './suspects.ts';

/**
 * `envoy --mode validate` on one static configuration; the message is Envoy's reason, without the configuration. Rejects
 * when the signal fires.
 */
export type ValidateConfig = (
  config: object,
  signal?: AbortSignal,
) => Promise<{ readonly ok: boolean; readonly message: string }>;

/** Envoy's no to a configuration, and the objects that it is most likely about. */
export interface Refusal {
  readonly message: string;
  readonly suspects: readonly NamedObject[];
}

/** How long the search for the culprit may take: meanwhile no other change is looked at. */
const searchMs = 5_000;

/**
 * Lets Envoy judge what `next` changes of `before`, which it accepts. Undefined when it accepts. Its messages often name
 * nothing, so what it refuses is found by trying parts of the change.
 */
export async function judge(
  before: ProxyFiles,
  next: ProxyFiles,
  validate: ValidateConfig,
): Promise<Refusal | undefined> {
  const changed = changedResources(before, next);
  const { bootstrap } = next;
  const { ok, message } = await validate(formOf(bootstrap, resourcesOf(leanForm(before, next)), changed));
  if (ok) return undefined;
  const culprit = await findCulprit(changed, (some) =>
    validate(formOf(bootstrap, [...resourcesOf(before), ...some], some)),
  );
  return { message, suspects: await suspectsOf(culprit, before, next) };
}

/** Without the clusters where none has changed and no filter calls one: they are the most of a big mesh. */
function leanForm(before: ProxyFiles, next: ProxyFiles): ProxyFiles {
  if (before.clusters.version !== next.clusters.version) return next;
  const own = new Fragment(next.bootstrap).at('static_resources', 'clusters').items;
  const names = new Set(own.map((cluster) => cluster.at('name').text));
  const called = clustersCalledBy(next.listeners.resources.map(({ json }) => json));
  return [...called].every((name) => names.has(name)) ? { ...next, clusters: new ResourceFile() } : next;
}

/**
 * Halves the changes, clusters first and listeners last, so that no part refers to what it lacks: the last resource of
 * the shortest part that Envoy refuses. More than one when the time runs out, or when no part is refused.
 */
async function findCulprit(
  changed: readonly KindedResource[],
  validatePart: (part: readonly KindedResource[]) => ReturnType<ValidateConfig>,
): Promise<readonly KindedResource[]> {
  const deadline = performance.now() + searchMs;
  let accepted = 0;
  let refused = changed.length;
  while (refused - accepted > 1 && performance.now() < deadline) {
    const middle = (accepted + refused) >> 1;
    const { ok } = await validatePart(changed.slice(0, middle));
    if (ok) accepted = middle;
    else refused = middle;
  }
  return changed.slice(accepted, refused);
}

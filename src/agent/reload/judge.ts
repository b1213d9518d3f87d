import { clustersCalledBy, formOf } from './changed-form.ts';
import { resourceTexts } from './cut-resources.ts';
import type { NamedObject } from './observer.ts';
import { type Json, noResources, type ProxyFiles } from './proxy-files.ts';
import { type CutFile, changedResources, type NamedResource, resourcesOf, suspectsOf } from './suspects.ts';

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
  const cut = cutOnce();
  const changed = changedResources(before, next, cut);
  const bootstrap = JSON.parse(next.bootstrap) as Json;
  const { ok, message } = await validate(
    formOf(bootstrap, resourcesOf(leanForm(before, next, bootstrap, cut), cut), changed),
  );
  if (ok) return undefined;
  const culprit = await findCulprit(changed, (some) =>
    validate(formOf(bootstrap, [...resourcesOf(before, cut), ...some], some)),
  );
  return { message, suspects: await suspectsOf(culprit, before, next) };
}

/** For one judgement: listeners are looked at thrice. */
function cutOnce(): CutFile {
  const known = new Map<string, ReturnType<CutFile>>();
  return (text) => {
    const resources = known.get(text) ?? resourceTexts(text);
    known.set(text, resources);
    return resources;
  };
}

/** Without the clusters where none has changed and no filter calls one: they are the most of a big mesh. */
function leanForm(before: ProxyFiles, next: ProxyFiles, bootstrap: Json, cut: CutFile): ProxyFiles {
  if (before.clusters !== next.clusters) return next;
  const { static_resources } = bootstrap as { readonly static_resources?: { readonly clusters?: readonly Json[] } };
  const own = new Set(static_resources?.clusters?.map(({ name }) => name));
  const called = clustersCalledBy(cut(next.listeners).map(({ value }) => value));
  return [...called].every((name) => own.has(name)) ? { ...next, clusters: noResources } : next;
}

/**
 * Halves the changes, clusters first and listeners last, so that no part refers to what it lacks: the last resource of
 * the shortest part that Envoy refuses. More than one when the time runs out, or when no part is refused.
 */
async function findCulprit(
  changed: readonly NamedResource[],
  validatePart: (part: readonly NamedResource[]) => ReturnType<ValidateConfig>,
): Promise<readonly NamedResource[]> {
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

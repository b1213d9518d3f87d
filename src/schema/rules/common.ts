import type { MeshObject } from '../../policy/object.ts';
import type { JsonObject, JsonValue } from '../../source/document.ts';
import type { Report, Rule } from '../rule.ts';

const dryRunAnnotation = 'mesh.io/dry-run';

const kindsWithSelector: ReadonlySet<string> = new Set([
  'AuthorizationPolicy',
  'DestinationRule',
  'PeerAuthentication',
  'RequestAuthentication',
  'ServiceEntry',
  'Sidecar',
]);

/** Their selector has no `matchLabels`. */
const kindsOfLabels: ReadonlySet<string> = new Set(['ServiceEntry', 'Sidecar']);

/** Checks that apply to objects of several kinds. */
export const commonRules: readonly Rule<MeshObject<string>>[] = [checkDryRun, checkExportTo, checkSelector];

/** Dry run says that rules are not enforced: on a kind that has no such mode it would be taken for a promise. */
function checkDryRun(object: MeshObject<string>, report: Report): void {
  const value = object.annotations[dryRunAnnotation];
  if (value === undefined) return;
  if (object.kind === 'AuthorizationPolicy' && (value === 'true' || value === 'false')) return;
  report('invalid-dry-run', ['metadata', 'annotations', dryRunAnnotation], { annotation: dryRunAnnotation, value });
}

function checkExportTo(object: MeshObject<string>, report: Report): void {
  const entries = specOf(object)?.exportTo as readonly string[] | undefined;
  if (entries === undefined) return;
  const seen = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    const namespace = entry === '.' ? object.namespace : entry;
    if (seen.has(namespace)) report('duplicate-export-to', ['spec', 'exportTo', i], { value: entry });
    seen.add(namespace);
  }
  const everywhere = entries.indexOf('*');
  if (everywhere !== -1 && seen.size > 1) report('mixed-export-to', ['spec', 'exportTo', everywhere], {});
}

function checkSelector(object: MeshObject<string>, report: Report): void {
  if (!kindsWithSelector.has(object.kind)) return;
  for (const field of ['selector', 'workloadSelector']) {
    const selector = specOf(object)?.[field];
    if (!isObject(selector)) continue;
    const labels = selector.matchLabels ?? selector.labels;
    if (isObject(labels) && Object.keys(labels).length > 0) continue;
    const wanted = kindsOfLabels.has(object.kind) ? 'labels' : 'matchLabels';
    report(
      'selector-without-labels',
      ['spec', field],
      {},
      { part: 'key', hint: `add "${wanted}", or remove the selector` },
    );
  }
}

function specOf(object: MeshObject<string>): JsonObject | undefined {
  return (object as { readonly spec?: JsonObject }).spec;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

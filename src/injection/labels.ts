import { revisionKey } from '../compiler/topology/injection.ts';
import type { JsonObject } from '../source/document.ts';
import { labelsOf, type PodObject, type Texts } from './pod.ts';

/** Label that says that the workload speaks mutual TLS of the mesh. */
const tlsModeKey = 'security.mesh.io/tlsMode';
const canonicalName = 'service.mesh.io/canonical-name';
const canonicalRevision = 'service.mesh.io/canonical-revision';

/** Labels that injection adds: those of them that the pod, by our names, does not have yet. */
export function addedLabels(
  labels: Texts,
  { workload, revision, role }: { readonly workload: string; readonly revision: string; readonly role: Role },
): Texts {
  const wanted: Record<string, string> = {
    // What a gateway serves is TLS of its own servers.
    ...(role === 'sidecar' && { [tlsModeKey]: 'mesh' }),
    [canonicalName]: labels['app.kubernetes.io/name'] ?? labels.app ?? asLabel(workload),
    [canonicalRevision]: labels['app.kubernetes.io/version'] ?? labels.version ?? 'latest',
    [revisionKey]: revision,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => labels[key] === undefined));
}

const added: ReadonlySet<string> = new Set([tlsModeKey, canonicalName, canonicalRevision, revisionKey]);

/** An injected pod, as far as labels say it, without those that injection added to the original. */
export function withoutAddedLabels(pod: PodObject, original: PodObject): PodObject {
  const before = labelsOf(original);
  const kept = Object.entries(labelsOf(pod)).filter(([key]) => !added.has(key) || before[key] !== undefined);
  const metadata = { ...(pod.metadata as JsonObject | undefined), labels: Object.fromEntries(kept) };
  return { ...pod, metadata };
}

type Role = 'sidecar' | 'gateway';

/** A name as the value of a label: at most 63 characters, of which the last is a letter or a digit. */
function asLabel(name: string): string {
  return name.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '');
}

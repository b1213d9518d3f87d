import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader, type ReadObjects } from '../compiler/read-objects.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { sortedBy } from '../lib/sort.ts';
import { cutDocuments } from '../source/cut.ts';
import type { SourceFile } from '../source/document.ts';
import { readSome } from './read-some.ts';

/** What inputs name that a command line may name too. */
export interface InputNames {
  /** Sorted. */
  readonly namespaces: readonly string[];
  /** Workloads that have a proxy, sorted by namespace and name; `kind` is that of the object. */
  readonly workloads: readonly WorkloadName[];
}

export interface WorkloadName {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
}

const workloadKinds: ReadonlySet<string> = new Set([
  'Pod',
  'WorkloadEntry',
  'WorkloadGroup',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
]);

/** In milliseconds: a person has pressed a key and waits. */
const patience = 300;

/**
 * The names in the inputs, for a completion: of as much as can be read in so many milliseconds, and of what is sound in
 * it. Where the sound objects make no mesh, every object that may be a workload is one.
 */
export async function inputNames(paths: readonly string[], milliseconds = patience): Promise<InputNames> {
  const end = performance.now() + milliseconds;
  const objects = soundObjects(await readSome(paths, end), end);
  const snapshot = createAnalyser(defaultSettings, { isPartial: true })(objects, new DiagnosticBag());
  const workloads =
    snapshot?.topology.workloads.filter(({ role }) => role !== 'none') ??
    objects.filter(({ kind }) => workloadKinds.has(kind));
  const namespaces = objects.map(({ kind, namespace, name }) => (kind === 'Namespace' ? name : namespace));
  return {
    namespaces: [...new Set(namespaces)].filter((name) => name !== '').sort(),
    workloads: sortedBy(
      workloads.map(({ namespace, name, kind }) => ({ namespace, name, kind })),
      ({ namespace }) => namespace,
      ({ name }) => name,
    ),
  };
}

/** Each document by itself: one that is half written takes nothing from the others. */
function soundObjects(files: readonly SourceFile[], end: number): ReturnType<ReadObjects> {
  const read = createObjectReader();
  const objects: ReturnType<ReadObjects>[number][] = [];
  for (const { path, text } of files) {
    for (const range of cutDocuments(text)) {
      if (performance.now() > end) return objects;
      const document = { path: `${path}#${range.start}`, text: text.slice(range.start, range.end) };
      objects.push(...read([document], new DiagnosticBag()));
    }
  }
  return objects;
}

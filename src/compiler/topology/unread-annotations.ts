import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { compareStrings } from '../../lib/sort.ts';
import { labelKeyAlias } from '../../policy/alias.ts';
import { injectionAnnotations } from '../../policy/injection-annotations.ts';
import { lintAnnotation } from '../../policy/lint-annotation.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { WorkloadController, WorkloadGroup } from '../../policy/topology-kinds.ts';
import { writtenIn } from '../../schema/resolve-aliases.ts';
import { captureAnnotations } from './capture.ts';
import { nameOf } from './object-name.ts';
import { catalogAnnotation, groupAnnotation } from './workload-groups.ts';
import { healthAnnotation } from './workloads.ts';

/** Of pods and workload entries, read by injection, by the compiler, or by the agent beside them. */
const readOfWorkloads: ReadonlySet<string> = new Set([
  ...captureAnnotations,
  ...Object.keys(injectionAnnotations),
  'sidecar.mesh.io/extraStatTags',
  'sidecar.mesh.io/inject',
  'sidecar.mesh.io/statsInclusionPrefixes',
  'sidecar.mesh.io/statsInclusionRegexps',
  'sidecar.mesh.io/statsInclusionSuffixes',
]);

/** Read wherever they stand: a dry run of another kind than AuthorizationPolicy is an error. */
const readOfAll: ReadonlySet<string> = new Set(['mesh.io/dry-run', lintAnnotation]);

/** Written by programs, for themselves: they ask for nothing. */
const ofPrograms =
  /^(?:mesh\.io\/(?:rev|workloadController|(?:dis)?connectedAt)|sidecar\.mesh\.io\/status|(?:[a-z.]+\.)?(?:operator|internal|galley|ambient)\.mesh\.io\/.*)$/;

/** By kind, what is read of its own metadata; pod templates have those of pods. */
const readOfKinds: Readonly<Record<string, ReadonlySet<string>>> = {
  Pod: readOfWorkloads,
  WorkloadEntry: new Set([...readOfWorkloads, catalogAnnotation, groupAnnotation, healthAnnotation]),
  ServiceEntry: new Set([catalogAnnotation]),
  Service: new Set(['networking.mesh.io/exportTo']),
};

interface Unread {
  readonly object: MeshObject<string>;
  readonly path: JsonPath;
  readonly written: string;
  count: number;
}

/**
 * Reports annotations of the mesh's domain, and of Istio's, that nobody here reads: each once, at the first object
 * that has it. What they ask for would be taken for granted.
 */
export function reportUnreadAnnotations(objects: readonly MeshObject<string>[], bag: DiagnosticBag): void {
  const unread = new Map<string, Unread>();
  const look = (object: MeshObject<string>, annotations: object, root: JsonPath, read?: ReadonlySet<string>) => {
    for (const key in annotations) {
      if (!isOfMesh(key) || readOfAll.has(key) || read?.has(key) || ofPrograms.test(key)) continue;
      const known = unread.get(key);
      const path = [...root, 'metadata', 'annotations', key];
      if (known === undefined) unread.set(key, { object, path, written: writtenKey(object, path), count: 1 });
      else known.count++;
    }
  };
  for (const object of objects) {
    look(object, object.annotations, [], readOfKinds[object.kind]);
    const { metadata } = (object as Partial<WorkloadController>).spec?.template ?? {};
    if (metadata?.annotations) look(object, metadata.annotations, ['spec', 'template'], readOfWorkloads);
    const { metadata: ofGroup } = object.kind === 'WorkloadGroup' ? (object as WorkloadGroup).spec : {};
    if (ofGroup?.annotations) look(object, ofGroup.annotations, ['spec'], readOfWorkloads);
  }
  for (const [, { object, path, written, count }] of [...unread].sort(([a], [b]) => compareStrings(a, b))) {
    const others = count === 1 ? '' : ` and ${count - 1} more`;
    const where = `${object.kind} "${nameOf(object)}"${others}`;
    bag.report('unread-annotation', object.document.spanOf(path, 'key'), { annotation: written, where });
  }
}

function isOfMesh(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash === -1) return false;
  const domain = key.slice(0, slash);
  return domain === 'mesh.io' || domain.endsWith('.mesh.io');
}

/** The key as the user wrote it, before it got our name. */
function writtenKey({ document }: MeshObject<string>, path: JsonPath): string {
  const key = String(path.at(-1));
  const holder = writtenIn(document, path.slice(0, -1));
  return Object.keys(holder ?? {}).find((written) => labelKeyAlias(written) === key) ?? key;
}

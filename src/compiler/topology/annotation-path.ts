import type { JsonPath } from '../../diagnostics/span.ts';
import type { MeshObject } from '../../policy/object.ts';
import { templatePath } from '../../policy/unread-object.ts';

/** Where an annotation of a workload stands in its object: a controller's and a group's stand in their templates. */
export function annotationPath(object: MeshObject<string>, key: string): JsonPath {
  return [...(rootByKind[object.kind] ?? templatePath(object.kind)), 'metadata', 'annotations', key];
}

const rootByKind: Readonly<Record<string, JsonPath>> = { Pod: [], WorkloadEntry: [], WorkloadGroup: ['spec'] };

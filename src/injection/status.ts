import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { labelKeyAlias } from '../policy/alias.ts';
import type { JsonObject } from '../source/document.ts';
import { checkShape } from './check-shape.ts';
import { type Container, containersOf, isObject, type PodObject } from './pod.ts';
import { type Undo, undo, undoOf } from './undo.ts';

/** Annotation that says what was injected, and how it is taken out again. */
export const statusKey = 'sidecar.mesh.io/status';

/** The value of the annotation. */
interface InjectionStatus {
  readonly revision: string;
  readonly templates: readonly string[];
  /** Names of what was added; a container that the pod had a part of is among them. */
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  readonly undo: Undo;
}

/** The injected pod with its status; `original` is what it was made of. */
export function withStatus(
  pod: PodObject,
  original: PodObject,
  made: Pick<InjectionStatus, 'revision' | 'templates'>,
): PodObject {
  const namesIn = (list: 'containers' | 'initContainers', of: PodObject): readonly string[] =>
    containersOf(of, list).map(({ name }) => name);
  const volumesOf = ({ spec }: PodObject): readonly string[] =>
    ((spec.volumes ?? []) as unknown as readonly Container[]).map(({ name }) => name);
  const added = (names: readonly string[], before: readonly string[]): readonly string[] =>
    names.filter((name) => name === 'mesh-proxy' || !before.includes(name));
  // The annotation stands in the pod that is taken back.
  const marked = withAnnotation(pod, '');
  const status: InjectionStatus = {
    ...made,
    initContainers: added(namesIn('initContainers', pod), namesIn('initContainers', original)),
    containers: added(namesIn('containers', pod), namesIn('containers', original)),
    volumes: added(volumesOf(pod), volumesOf(original)),
    undo: undoOf(marked, original) ?? {},
  };
  return withAnnotation(pod, JSON.stringify(status));
}

/**
 * The pod as it was before it was injected; the pod itself if it was not. Undefined, with an error in the bag, for a
 * pod that another program injected: what it added is not known.
 */
export function withoutInjection(pod: PodObject, bag: DiagnosticBag): PodObject | undefined {
  const annotations = annotationsIn(pod);
  const told = Object.keys(annotations).filter((key) => labelKeyAlias(key) === statusKey);
  // Beside our own status, that of another mesh says that it has added something, too.
  const found = told.find((key) => key !== statusKey) ?? told[0];
  if (found === undefined) return pod;
  const change = found === statusKey ? undoIn(annotations[found]) : undefined;
  const undone = change && carriedOut(pod, change);
  if (undone !== undefined) return undone;
  const why =
    found === statusKey ? 'its value does not say how to take the proxy out' : 'another mesh has injected its proxy';
  bag.report('foreign-injection', undefined, { annotation: found, why });
  return undefined;
}

/** Whoever creates a pod can write anything into the annotation: what is no undo, or leaves no pod, gives undefined. */
function carriedOut(pod: PodObject, change: Undo): PodObject | undefined {
  try {
    const undone = undo(pod, change);
    return isObject(undone.spec) && checkShape(undone).length === 0 ? (undone as PodObject) : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function undoIn(text: unknown): Undo | undefined {
  try {
    const value = JSON.parse(String(text)) as Partial<InjectionStatus> | null;
    return typeof value?.undo === 'object' && value.undo !== null ? value.undo : undefined;
  } catch {
    return undefined;
  }
}

function withAnnotation(pod: PodObject, value: string): PodObject {
  const annotations = { ...annotationsIn(pod), [statusKey]: value };
  return { ...pod, metadata: { ...(pod.metadata as JsonObject | undefined), annotations } };
}

function annotationsIn({ metadata }: PodObject): JsonObject {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return isObject(annotations) ? annotations : {};
}

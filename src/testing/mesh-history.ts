import fc from 'fast-check';
import { stringify } from 'yaml';
import type { Change } from '../compiler/object-store.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import { keyOf } from '../policy/object-key.ts';
import { validate } from '../schema/validate.ts';
import type { SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';
import { clusterObject } from './generated-cluster.ts';
import { edgeObject, edgeTopology } from './generated-edge.ts';
import { meshTopology } from './generated-mesh.ts';
import { policies } from './generated-policies.ts';
import { sidecarObject } from './generated-sidecars.ts';

/** What happens to one object of a mesh; `pick` chooses one of those that are there. */
export type Step =
  | { readonly put: object }
  | { readonly remove: number }
  /** The object goes, and comes again under another name. */
  | { readonly rename: number; readonly to: string }
  /** The same content once more, as a control plane sees it after a heartbeat. */
  | { readonly again: number };

/** What happens at once; `heals`: if what happened before was refused, that is taken back first. */
export interface Happening {
  readonly heals: boolean;
  readonly steps: readonly Step[];
}

/** Batches that follow each other. */
export function histories(batches: number): fc.Arbitrary<readonly Happening[]> {
  const heals = fc.constantFrom(true, true, false);
  const happening = fc.record({ heals, steps: fc.array(step(), { minLength: 1, maxLength: 3 }) });
  return fc.array(happening, { minLength: batches, maxLength: batches });
}

function step(): fc.Arbitrary<Step> {
  const written = fc.oneof<fc.WeightedArbitrary<object>[]>(
    { weight: 5, arbitrary: clusterObject() },
    { weight: 3, arbitrary: edgeObject().chain(named) },
    { weight: 1, arbitrary: sidecarObject().chain(named) },
    { weight: 2, arbitrary: policies().chain(([first]) => named({ ...first, ...apiVersionOf(first?.kind) })) },
  );
  const pick = fc.nat();
  return fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 6, arbitrary: written.map((put) => ({ put })) },
    { weight: 2, arbitrary: pick.map((remove) => ({ remove })) },
    { weight: 1, arbitrary: fc.record({ rename: pick, to: fc.constantFrom('o0', 'o9', 'web') }) },
    { weight: 1, arbitrary: pick.map((again) => ({ again })) },
  );
}

function apiVersionOf(kind: string | undefined): object {
  return { apiVersion: kind === 'DestinationRule' ? 'networking.mesh.io/v1alpha3' : 'security.mesh.io/v1beta1' };
}

/** One of few names, so that an object is often put where one of its kind is already. */
function named(object: object): fc.Arbitrary<object> {
  const { metadata } = object as { readonly metadata?: object };
  return fc.constantFrom('o0', 'o1', 'o2', 'o3').map((name) => ({ ...object, metadata: { ...metadata, name } }));
}

/** Workloads that the fixed mesh has for others' sake. */
const leftOut = new Set(['Pod/a/web-2', 'Pod/b/db', 'Pod/c/curl', 'Pod/plain/legacy', 'Service/plain/legacy']);

/** The objects with which every history begins. */
export function firstObjects(): readonly MeshObject<string>[] {
  return [meshTopology(), edgeTopology()].flatMap(read).filter((object) => !leftOut.has(keyOf(object)));
}

/** What the steps do to the objects that are there. */
export function batchOf(steps: readonly Step[], there: readonly MeshObject<string>[]): readonly Change[] {
  const pick = (place: number): MeshObject<string> | undefined => there[place % Math.max(1, there.length)];
  return steps.flatMap((step): readonly Change[] => {
    if ('put' in step) return objectsOf(step.put).map(putting);
    const object = pick('remove' in step ? step.remove : 'rename' in step ? step.rename : step.again);
    if (object === undefined) return [];
    const gone = { key: keyOf(object), object: undefined };
    if ('remove' in step) return [gone];
    if ('again' in step) return [putting({ ...object })];
    return [gone, putting({ ...object, name: step.to })];
  });
}

function putting(object: MeshObject<string>): Change {
  return { key: keyOf(object), object };
}

const known = new Map<string, readonly MeshObject<string>[]>();

/** Of the same text the same object. A version that is refused by itself is none: its reader keeps it back. */
function objectsOf(written: object): readonly MeshObject<string>[] {
  const text = stringify(written, { aliasDuplicateObjects: false });
  const objects = known.get(text) ?? read({ path: `${known.size}.yaml`, text });
  known.set(text, objects);
  return objects;
}

function read(file: SourceFile): readonly MeshObject<string>[] {
  const bag = new DiagnosticBag();
  const objects = parse([file], bag).flatMap((document) => validate(document, bag) ?? []);
  return bag.hasErrors ? [] : objects;
}

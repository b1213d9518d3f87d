import type { Compiler } from '../compiler/compile.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import type { SourceFile } from '../source/document.ts';
import { faultKey } from './fleet-outcome.ts';
import { policiesOf } from './frozen-objects.ts';
import { type GoodInputs, goodVersions } from './good-versions.ts';
import type { Fault } from './last-valid.ts';
import { keyOf } from './object-name.ts';

/** Faults whose object could not be held, by their keys, and the policies that may be what is behind them. */
export interface Lost {
  readonly keys: ReadonlySet<string>;
  /** The last valid version of each, in a file of its own. */
  readonly hidden: GoodInputs;
}

/** Nothing is lost. */
export const nothingLost: Lost = { keys: new Set(), hidden: { files: [], objects: [] } };

/**
 * What is lost in a version of the inputs with these objects. A policy that is gone was deleted, or it is behind a fault that
 * came with the version, or behind one of which nobody knows what it is: then it is hidden until nothing is lost any more.
 */
export function lostIn(
  { faults, objects }: { readonly faults: readonly Fault[]; readonly objects: GoodInputs['objects'] },
  known: GoodInputs | undefined,
  before: Lost,
  compiler: Compiler,
): Lost {
  const keys = new Set(faults.map(faultKey));
  if (faults.length === 0 || known === undefined) return { ...nothingLost, keys };
  const mayHide = faults.some((fault) => fault.object === undefined || !before.keys.has(faultKey(fault)));
  const candidates = mayHide ? withHidden(known, before.hidden) : before.hidden;
  const there = new Set(policiesOf(objects).map(keyOfObject));
  const gone = policiesOf(candidates.objects).filter((policy) => !there.has(keyOfObject(policy)));
  if (gone.length === 0) return { ...nothingLost, keys };
  const versions = goodVersions(candidates);
  const files = gone.flatMap((policy) => versions.get(keyOfObject(policy))?.file ?? []);
  return { keys, hidden: readHidden(files, compiler) };
}

/** Hidden policies from their files. */
export function readHidden(files: readonly SourceFile[], compiler: Compiler): GoodInputs {
  return { files, objects: compiler.read(files, new DiagnosticBag()) };
}

/** What is in force, and what is hidden. */
export function withHidden(good: GoodInputs, hidden: GoodInputs): GoodInputs {
  if (hidden.objects.length === 0) return good;
  return { files: [...good.files, ...hidden.files], objects: [...good.objects, ...hidden.objects] };
}

function keyOfObject({ document }: MeshObject<string>): string {
  return keyOf(document.value);
}

import type { Fragment } from '../../envoy/api/fragment.ts';

/** Tells one way in which the output is not what the IR asks for; `loss` completes "differs from what the policies require:". */
export type Lose = (at: Fragment, loss: string) => void;

/** Envoy's defaults are false, 0, empty: what is absent counts as `absent`. */
export function expectValue(at: Fragment, wanted: unknown, lose: Lose, absent?: unknown): void {
  const found = at.value ?? absent;
  if (found !== wanted) lose(at, `${String(at.path.at(-1))} is ${show(found)}, not ${show(wanted)}`);
}

/** As sets: the order says nothing. */
export function expectList(at: Fragment, found: readonly string[], wanted: readonly string[], lose: Lose): void {
  const missing = wanted.filter((value) => !found.includes(value));
  const extra = found.filter((value) => !wanted.includes(value));
  if (missing.length === 0 && extra.length === 0) return;
  // The place is put together only where something is told of it: most lists are as they should be.
  const field = String(at.path.at(-1));
  if (missing.length > 0) lose(at, `${field} lacks ${missing.join(', ')}`);
  if (extra.length > 0) lose(at, `${field} also has ${extra.join(', ')}`);
}

/** Strings of a list field; the JSON text of what is no string. */
export function texts(list: Fragment): string[] {
  return list.items.map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

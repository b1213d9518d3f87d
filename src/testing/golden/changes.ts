import { isDeepStrictEqual } from 'node:util';
import { commonMembers, isFlat, isPlain, type Members, membersFor, ofMembers, type Step } from './members.ts';

/** What happens at one place of a base to make another value of it; the last step names the member that it happens to. */
export type Change =
  | { readonly kind: 'added'; readonly path: Path; readonly after: Step | undefined; readonly value: unknown }
  | { readonly kind: 'removed'; readonly path: Path }
  /** `old` is there only if it is short enough to be shown. */
  | { readonly kind: 'changed'; readonly path: Path; readonly old?: unknown; readonly value: unknown };

type Path = readonly Step[];

/** The changes that make `value` of `base`; none if the two are equal in every byte of their JSON. */
export function changesBetween(base: unknown, value: unknown, path: Path = []): readonly Change[] {
  if (JSON.stringify(base) === JSON.stringify(value)) return [];
  const members = commonMembers(base, value);
  if (members !== undefined && !isReordered(...members)) return changesOfMembers(...members, path);
  return [{ kind: 'changed', path, ...((isPlain(base) || isFlat(base)) && { old: base }), value }];
}

function changesOfMembers(base: Members, value: Members, path: Path): readonly Change[] {
  const changes: Change[] = [];
  for (const step of base.keys()) if (!value.has(step)) changes.push({ kind: 'removed', path: [...path, step] });
  let after: Step | undefined;
  for (const [step, member] of value) {
    const place = [...path, step];
    if (base.has(step)) changes.push(...changesBetween(base.get(step), member, place));
    else changes.push({ kind: 'added', path: place, after, value: member });
    after = step;
  }
  return changes;
}

function isReordered(base: Members, value: Members): boolean {
  const kept = [...base.keys()].filter((step) => value.has(step));
  return !isDeepStrictEqual(
    kept,
    [...value.keys()].filter((step) => base.has(step)),
  );
}

/** The value that `changes` make of `base`. Throws if the base has not what they name. */
export function applyChanges(base: unknown, changes: readonly Change[]): unknown {
  let value = base;
  for (const change of changes) if (change.kind !== 'added') value = withChange(value, change);
  let waiting = changes.filter((change) => change.kind === 'added');
  // A member is added after another one, which may be added by a later change.
  while (waiting.length > 0) {
    const left: typeof waiting = [];
    for (const addition of waiting) {
      const next = withAddition(value, addition);
      if (next === undefined) left.push(addition);
      else value = next;
    }
    if (left.length === waiting.length)
      throw missing(left.flatMap(({ path, after }) => [...path, ' after ', after ?? '']));
    waiting = left;
  }
  return value;
}

function withChange(base: unknown, change: Exclude<Change, { kind: 'added' }>): unknown {
  if (change.path.length === 0) return change.kind === 'changed' ? change.value : undefined;
  return edited(base, change.path, (members, at) => {
    const old = members.get(at);
    if (!members.has(at)) throw missing(change.path);
    if (change.kind === 'removed') return [...members].filter(([step]) => step !== at);
    if ('old' in change && !isDeepStrictEqual(change.old, old)) throw missing([...change.path, ' as it is told']);
    return [...members].map(([step, member]) => [step, step === at ? change.value : member]);
  });
}

/** `undefined` as long as the member after which it comes is not there. */
function withAddition(base: unknown, { path, after, value }: Extract<Change, { kind: 'added' }>): unknown {
  let isReady = true;
  const result = edited(base, path, (members, at) => {
    isReady = after === undefined || members.has(after);
    const place = after === undefined ? 0 : [...members.keys()].indexOf(after) + 1;
    return [...members].toSpliced(place, 0, [at, value]);
  });
  return isReady ? result : undefined;
}

type Edit = (members: Members, at: Step) => Iterable<readonly [Step, unknown]>;

/** A copy of `value` in which the members around the last step of `path` are those that `edit` makes. */
function edited(value: unknown, path: Path, edit: Edit): unknown {
  const [at, ...rest] = path;
  const members = at === undefined ? undefined : membersFor(at, value);
  if (at === undefined || members === undefined) throw missing(path);
  const entries =
    rest.length === 0
      ? edit(members, at)
      : [...members].map(([step, member]) => [step, step === at ? edited(member, rest, edit) : member] as const);
  return ofMembers(entries, value);
}

function missing(path: Path): Error {
  return new Error(`the base has not ${path.join('')}`);
}

import type { Snapshot } from '../compiler/snapshot.ts';
import type { Category, RuleContext as InnerContext, Place, RunnableRule, Sighting } from '../lint/rule.ts';
import type { NamedText } from './input.ts';
import type { Rule, RulePlace, RuleSighting } from './rule.ts';
import type { MeshSnapshot, SnapshotObject } from './snapshot.ts';
import { readableSnapshot } from './snapshot-of.ts';

/** A rule of a user that threw, or broke what it has to keep to. */
export interface RuleFailure {
  readonly code: string;
  readonly message: string;
}

/** What rules of users read of one snapshot. */
interface Shown {
  readonly snapshot: MeshSnapshot;
  sourceOf(object: SnapshotObject): Place['object'] | undefined;
}

/**
 * Rules of a user as the linter runs them. They get the snapshot in its public form; one that throws is put to the
 * failures, and what it had reported before stays.
 */
export function runnable(
  rules: readonly Rule[],
  files: readonly NamedText[],
  failures: RuleFailure[],
): readonly RunnableRule[] {
  const known = new WeakMap<Snapshot, Shown>();
  const show = (snapshot: Snapshot): Shown => {
    const shown = known.get(snapshot) ?? readableSnapshot(snapshot, files);
    known.set(snapshot, shown);
    return shown;
  };
  return rules.map((rule) => {
    const { code, severity, confidence, kinds, needs, title, why, hint } = rule;
    const { category = 'hygiene', direction = 'none' } = rule;
    const check = (context: InnerContext): void => {
      try {
        run(rule, show(context.snapshot), context);
      } catch (cause) {
        failures.push({ code, message: cause instanceof Error ? cause.message : String(cause) });
      }
    };
    const facts = { code, severity, confidence, kinds, needs, title, why, hint, check };
    // `checkRule` has seen that the category is one of ours, and that what is likely is no error.
    return { ...facts, category: category as Category, direction } as RunnableRule;
  });
}

function run(rule: Rule, { snapshot, sourceOf }: Shown, { report, skip }: InnerContext): void {
  const returned: unknown = rule.check({
    snapshot,
    report: (sighting) => report(inner(sighting, sourceOf)),
    skip: (object) => skip(sourceObject(object, sourceOf)),
  });
  if (returned === undefined) return;
  // Its rejection would end the program.
  Promise.resolve(returned).catch(() => undefined);
  throw new TypeError('check returned a value, expected that it reports what it finds and returns nothing');
}

function inner({ related = [], fix, hint, ...sighting }: RuleSighting, sourceOf: Shown['sourceOf']): Sighting {
  return {
    ...placeOf(sighting, sourceOf),
    message: textOf(sighting.message, 'message'),
    ...(hint !== undefined && { hint: textOf(hint, 'hint') }),
    related: related.map((other) => ({ ...placeOf(other, sourceOf), message: textOf(other.message, 'message') })),
    ...(fix && {
      fix: {
        title: textOf(fix.title, 'title'),
        edits: fix.edits.map((edit) => {
          const { object, path, part } = placeOf(edit, sourceOf);
          return { span: object.document.spanOf(path, part), text: textOf(edit.text, 'text', true) };
        }),
      },
    }),
  };
}

function placeOf({ object, path, part = 'value' }: RulePlace, sourceOf: Shown['sourceOf']): Required<Place> {
  if (!Array.isArray(path)) throw new TypeError('it reported a path that is no list');
  return { object: sourceObject(object, sourceOf), path, part };
}

function sourceObject(object: SnapshotObject, sourceOf: Shown['sourceOf']): Place['object'] {
  const source = sourceOf(object);
  if (source === undefined) throw new TypeError('it reported an object that is none of snapshot.objects');
  return source;
}

function textOf(value: unknown, name: string, mayBeEmpty = false): string {
  if (typeof value !== 'string' || (value === '' && !mayBeEmpty))
    throw new TypeError(`it reported a ${name} that is no text`);
  return value;
}

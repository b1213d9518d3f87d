import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import { nearest } from '../../lib/nearest.ts';
import type { KeySetAnswer, KeySets } from '../../policy/key-sets.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { JwtRule, RequestAuthentication } from '../../policy/request-authentication.ts';
import type { KeySetOption } from './key-set-option.ts';

/** A key set of one issuer, as the user gave it. */
export interface KeySetFile extends KeySetOption {
  readonly text: string;
}

/** Why Envoy does not take a key set; undefined when it does. */
type JudgeKeys = (keySet: string) => Promise<string | undefined>;

/** Answers for rules whose keys stand neither in the rule nor in a file. */
export interface RemoteKeySets {
  /** From now on keeps the keys of these rules at hand, of no others; waits, for a bounded time, until they are there. */
  fetch(rules: readonly JwtRule[]): Promise<void>;
  /** Text of the keys, or why there are none now; waits for nobody. */
  find(rule: JwtRule): { readonly text: string } | { readonly reason: string };
}

/** The key sets of one compilation. */
export interface GatheredKeySets extends KeySets {
  /** To be called with the rules in force before they are rendered: those whose keys are nowhere else are fetched. */
  fetch(rules: readonly JwtRule[]): Promise<void>;
}

/** Puts key sets together before each compilation; remembers, so that the same keys stay the same object. */
export interface KeySetGatherer {
  /**
   * Checks the keys that stand in rules and in files; what is wrong with them goes to the bag. The look-up tries the
   * rule itself, the files, then the remote ones, and is good for one compilation.
   */
  gather(objects: readonly MeshObject<string>[], bag: DiagnosticBag): Promise<GatheredKeySets>;
}

/** A gatherer over files that were read before; `judgeKeys` has the last word on keys that stand in rules and files. */
export function createKeySetGatherer(
  files: readonly KeySetFile[] = [],
  remote: RemoteKeySets = offline,
  judgeKeys: JudgeKeys = async () => undefined,
): KeySetGatherer {
  const checks = new Generations<Promise<Check>>();
  const answers = new Generations<KeySetAnswer>();
  return {
    gather: async (objects, bag) => {
      checks.age();
      answers.age();
      const check = (text: string): Promise<Check> => checks.get(text, () => checked(text, judgeKeys));
      const answer = (found: Found): KeySetAnswer => answers.get(JSON.stringify(found), () => found);
      const rules = placedRules(objects);
      const inline = new Map<string, KeySetAnswer>();
      for (const { rule, spanOf } of rules) {
        if (rule.jwks === undefined || rule.jwks === '') continue;
        const result = await check(rule.jwks);
        // The schema's rules told of secret keys already.
        report({ ...result, refused: result.refused.filter(({ isSecret }) => !isSecret) }, nameOf(rule), spanOf, bag);
        inline.set(rule.jwks, answer(result.found));
      }
      const given = new Map<string, KeySetAnswer>();
      for (const { issuer, path, text } of files) {
        const result = await check(text);
        report(result, issuer, undefined, bag, `${path}: `);
        given.set(issuer, answer(result.found));
        warnOfNobody(issuer, rules, bag);
      }
      const atHand = (rule: JwtRule): KeySetAnswer | undefined =>
        inline.get(rule.jwks ?? '') ?? given.get(nameOf(rule));
      return {
        fetch: (wanted) => remote.fetch(wanted.filter((rule) => atHand(rule) === undefined)),
        find: (rule) => atHand(rule) ?? answer(remote.find(rule)),
      };
    },
  };
}

/** A gatherer that has the keys of further rules fetched too. */
export function withRules({ gather }: KeySetGatherer, more: () => readonly JwtRule[]): KeySetGatherer {
  return {
    gather: async (objects, bag) => {
      const { find, fetch } = await gather(objects, bag);
      return { find, fetch: (rules) => fetch([...rules, ...more()]) };
    },
  };
}

/** Whether some policy wants keys that do not stand in it: they may become others while no input does. */
export function hasFetchedKeys(objects: readonly MeshObject<string>[]): boolean {
  return objects.filter(isRequestAuthentication).some(({ spec }) => spec.jwtRules?.some(({ jwks }) => !jwks));
}

const offline: RemoteKeySets = {
  fetch: async () => undefined,
  find: () => ({ reason: 'nothing is fetched while compiling' }),
};

type Found = { readonly text: string } | { readonly reason: string };

interface Check {
  readonly found: Found;
  readonly refused: readonly { readonly key: string; readonly reason: string; readonly isSecret?: true }[];
}

async function checked(text: string, judgeKeys: JudgeKeys): Promise<Check> {
  // Most runs check no key, and need no cryptography.
  const { checkKeys } = await import('../../jwks/check-keys.ts');
  try {
    const { text: usable, refused } = await checkKeys(text);
    const refusal = await judgeKeys(usable);
    if (refusal !== undefined) return { found: { reason: `Envoy refuses the key set: ${refusal}` }, refused };
    return { found: { text: usable }, refused };
  } catch (error) {
    if ((error as Error).name !== 'KeySetError') throw error;
    return { found: { reason: (error as Error).message }, refused: [] };
  }
}

interface PlacedRule {
  readonly rule: JwtRule;
  /** Not the key set's own place: a report shows the line that it points at. */
  readonly spanOf: () => SourceSpan;
}

function placedRules(objects: readonly MeshObject<string>[]): readonly PlacedRule[] {
  return objects.filter(isRequestAuthentication).flatMap(({ spec, document }) =>
    (spec.jwtRules ?? []).map((rule, i) => ({
      rule,
      spanOf: () => document.spanOf(['spec', 'jwtRules', i, ...(rule.issuer === undefined ? [] : ['issuer'])]),
    })),
  );
}

function isRequestAuthentication(object: MeshObject<string>): object is RequestAuthentication {
  return object.kind === 'RequestAuthentication';
}

/** What a rule's keys go by: its issuer, or where they are when it names none. */
function nameOf({ issuer, jwksUri }: Pick<JwtRule, 'issuer' | 'jwksUri'>): string {
  return issuer || (jwksUri ?? '');
}

function report(
  { found, refused }: Check,
  issuer: string,
  spanOf: (() => SourceSpan) | undefined,
  bag: DiagnosticBag,
  place = '',
): void {
  if ('reason' in found) bag.report('unusable-key-set', spanOf?.(), { issuer, reason: place + found.reason });
  for (const { key, reason } of refused) bag.report('unusable-key', spanOf?.(), { issuer, key: place + key, reason });
}

function warnOfNobody(issuer: string, rules: readonly PlacedRule[], bag: DiagnosticBag): void {
  const names = rules.map(({ rule }) => nameOf(rule));
  if (names.includes(issuer)) return;
  const near = nearest(issuer, names);
  bag.report('key-set-of-nobody', undefined, { issuer }, near === undefined ? {} : { hint: `did you mean "${near}"?` });
}

/** A cache by text that forgets what one whole round did not ask for. */
class Generations<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  get(text: string, make: () => T): T {
    const value = this.#young.get(text) ?? this.#old.get(text) ?? make();
    this.#young.set(text, value);
    return value;
  }
}

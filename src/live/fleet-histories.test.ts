import { expect, test } from 'vitest';
import { Dice } from '../testing/dice.ts';
import { tries } from '../testing/effort.ts';
import type { ProxyOutcome } from './fleet-outcome.ts';
import { authorization, GivenFleet } from './testing/given-fleet.ts';

/** A policy that denies a path of its own, as it was meant and as it is written. */
interface Meant {
  readonly namespace: string;
  readonly path: string;
  readonly app: string;
  readonly text: string;
  /** The fault in the text. */
  readonly fault: string | undefined;
  /** Its last version without a fault. */
  readonly good: Meant | undefined;
}

/** Mistakes that leave a text one document. */
const mistakes: Readonly<Record<string, (text: string) => string>> = {
  value: (text) => text.replace('DENY', 'DENI'),
  field: (text) => text.replace('spec: {', 'spec: {acton: DENY, '),
  kind: (text) => text.replace('Policy', 'Polcy'),
  group: (text) => text.replace('security.', 'secrity.'),
  'no kind': (text) => text.replace(/kind: .*\n/, ''),
  namespace: (text) => text.replace('namespace:', 'namspace:'),
  'case of the namespace': (text) =>
    text.replace(/namespace: (\w)/, (_, letter) => `namespace: ${letter.toUpperCase()}`),
  syntax: (text) => text.replace('spec: {', 'spec: {{'),
  'key twice': (text) => text.replace('metadata:', 'kind: Other\nmetadata:'),
};

const namespaces = ['a', 'b', 'c', 'mesh-system'];
const kinds = Object.keys(mistakes);
const maxVersions = 8;

test.each(Array.from({ length: tries(30, 100) }, (_, i) => i + 1))(
  'a fleet loses no rule that denies, however policies come, change, break and go (history %i)',
  async (seed) => {
    const dice = new Dice(seed * 7919);
    const fleet = new GivenFleet(dice.chance(50));
    const meant = new Map<string, Meant>();
    for (let version = 1; version <= maxVersions; version++) {
      if (dice.chance(25)) meant.delete(dice.pick([...meant.keys(), '']));
      // A name comes once only: what has the name of something deleted may be held in its last version.
      const name = dice.chance(50) ? `p${version}` : dice.pick([...meant.keys(), `p${version}`]);
      meant.set(name, nextVersion(name, meant.get(name), `/x${version}`, dice));
      const texts = Object.fromEntries([...meant].map(([own, { text }]) => [`${own}.yaml`, text]));
      const { outcomes } = await fleet.take(texts);
      const lost = [...outcomes].flatMap(([proxy, outcome]) => lostRules(proxy, outcome, [...meant.values()]));
      expect(lost, JSON.stringify({ seed, version, texts }, undefined, 1)).toEqual([]);
    }
  },
);

/** A policy keeps its namespace; everything else of it may change. */
function nextVersion(name: string, old: Meant | undefined, path: string, dice: Dice): Meant {
  const namespace = old?.namespace ?? dice.pick(namespaces);
  const app = dice.pick(['', 'web', 'other']);
  const fault = dice.chance(45) ? dice.pick(kinds) : undefined;
  const right = authorization(`${namespace}/${name}`, path, { app });
  const text = fault === undefined ? right : (mistakes[fault]?.(right) ?? right);
  const version = { namespace, path, app, text, fault };
  return { ...version, good: fault === undefined ? { ...version, good: undefined } : old?.good };
}

/** What a proxy that is configured lets through though it is to be denied. */
function lostRules(proxy: string, outcome: ProxyOutcome, all: readonly Meant[]): readonly string[] {
  const selects = ({ namespace, app }: Meant): boolean =>
    [proxy.split('/')[0], 'mesh-system'].includes(namespace) && app !== 'other';
  const isFrozen = 'frozen' in outcome;
  if (isFrozen && outcome.isDenying) return [];
  const { listeners } = isFrozen ? outcome.frozen : outcome.config;
  const text = listeners.map((listener) => listener.text).join();
  return all.flatMap((policy) => {
    const { good, fault } = policy;
    // By its text it is another object now, which is for others.
    if (fault === 'case of the namespace' && !selects(policy)) return [];
    if (good !== undefined) return !selects(good) || text.includes(`"${good.path}"`) ? [] : [`${proxy} ${good.path}`];
    return isFrozen || !selects(policy) ? [] : [`${proxy} runs without what never was good: ${fault} ${policy.path}`];
  });
}

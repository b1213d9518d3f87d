import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isSameList, keeping } from '../diagnostics/kept.ts';
import { History } from '../testing/history.ts';
import { type Happening, histories } from '../testing/mesh-history.ts';
import { NamespacePolicies } from './merge/namespace-policies.ts';

/** Stages, and which of their inputs they do not look at. */
const blind: readonly (readonly [stage: string, unseen: readonly number[], what: string])[] = [
  ['workload draft', [0], 'labels of the namespace'],
  ['workload drafts', [2], 'WorkloadEntries'],
  ['selected workloads', [0], 'workloads'],
  ['endpoints', [2, 3, 4], 'EndpointSlices'],
  ['endpoints', [0], 'workloads'],
  ['what is behind a service', [0], 'workloads'],
  ['what is behind a service', [1], 'recorded endpoints'],
  ['resolved service', [0], 'what is behind it'],
  ['service', [1], 'identities of endpoints'],
  ['claims', [1], 'workloads behind a service'],
  ['workloads', [1], 'services that deliver to them'],
  ['workload', [0], 'services that deliver to it'],
  ['workload', [1], 'what Gateways select'],
  ['client scope', [2], 'Sidecars'],
  ['peers', [0], 'PeerAuthentications'],
  ['rules', [1, 2, 3, 4, 5, 6, 7], 'DestinationRules'],
  ['parts', [1], 'policies of its namespace'],
  ['parts', [3], 'services that it sees'],
  ['missing destinations', [2], 'services'],
  ['check of reach', [4], 'workloads'],
];

/** The same in each run: a fault is found or it is not. The two that find nearly all faults come first. */
const sampled = fc.sample(histories(20), { numRuns: 40, seed: 2 });
const samples = [...[15, 1].map((i) => sampled[i] ?? []), ...sampled];

describe('the comparison of histories with a fresh compiler', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each(blind)('finds that "%s" does not look at its inputs %j: %s', (stage, unseen) => {
    vi.spyOn(keeping, 'isSame').mockImplementation((asked, before, now) => {
      if (asked !== stage) return isSameList(before, now);
      const seen = (inputs: readonly unknown[]) => inputs.filter((_, i) => !unseen.includes(i));
      return isSameList(seen(before), seen(now));
    });
    expect(samples.some(differs)).toBe(true);
  });

  test('finds that policies of the root namespace are not looked at', () => {
    const tokens = new Map<string, object>();
    vi.spyOn(NamespacePolicies.prototype, 'of').mockImplementation((namespace) => {
      const token = tokens.get(namespace) ?? {};
      tokens.set(namespace, token);
      return token;
    });
    expect(samples.some(differs)).toBe(true);
  });
});

/** Whether the compiler that knows the mesh gives anything else than a fresh one, or fails. */
function differs(happenings: readonly Happening[]): boolean {
  try {
    const history = new History('ads');
    return happenings.some((happening) => {
      history.let(happening);
      return JSON.stringify(history.updated) !== JSON.stringify(history.fresh);
    });
  } catch {
    return true;
  }
}

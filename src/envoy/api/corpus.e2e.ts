import { availableParallelism } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { tries } from '../../testing/effort.ts';
import { findEnvoy } from '../process.ts';
import { type Validation, validateConfig } from '../validate.ts';
import { checkMessage } from './check.ts';
import { type Mutation, mutate, mutations } from './corpus/mutate.ts';
import { neutralMutations } from './corpus/neutral.ts';
import { type Sample, samples } from './corpus/samples.ts';
import { badTemplates, goodTemplates } from './corpus/templates.ts';

const bootstrapType = 'envoy.config.bootstrap.v3.Bootstrap';
const envoy = findEnvoy({ env: process.env, repositoryRoot: path.resolve(import.meta.dirname, '../../..') });
const seed = Number(process.env.CORPUS_SEED ?? 20_260_101);

interface Case {
  readonly sample: Sample;
  readonly mutation: Mutation;
  readonly config: object;
}

interface Verdict extends Case {
  readonly problems: ReturnType<typeof checkMessage>;
  readonly validation: Validation;
}

describe('checkMessage beside the real Envoy', () => {
  test.each(samples())('both accept the good configuration: $name', async ({ bootstrap }) => {
    expect(checkMessage(bootstrapType, bootstrap)).toEqual([]);
    expect(await validateConfig(envoy, bootstrap)).toMatchObject({ ok: true });
  });

  test('whatever breaks the API is refused by both, but for the listed leniencies of Envoy', async () => {
    const cases = pick((sample) => mutations(bootstrapType, sample.bootstrap), tries(4, 30));
    expect(cases.length, `cases of seed ${seed}`).toBeGreaterThanOrEqual(100);
    const verdicts = await judge(cases);
    expect(verdicts.filter(({ problems }) => problems.length === 0).map(describeVerdict), `seed ${seed}`).toEqual([]);
    const unshared = verdicts.filter(({ validation, mutation }) => validation.ok && mutation.excuse === undefined);
    expect(unshared.map(describeVerdict), `seed ${seed}`).toEqual([]);
  });

  test('both judge path templates alike', async () => {
    const templates = [...goodTemplates, ...badTemplates];
    const verdicts = await judge(templates.map((template) => templateCase(template)));
    expect(verdicts.filter(({ validation }) => validation.ok).map(({ mutation }) => mutation.label)).toEqual(
      goodTemplates,
    );
    expect(verdicts.filter(({ problems }) => problems.length === 0).map(({ mutation }) => mutation.label)).toEqual(
      goodTemplates,
    );
  });

  test('of other changes, none is refused by the checker alone, or for the sake of the API by Envoy alone', async () => {
    const verdicts = await judge(pick((sample) => neutralMutations(bootstrapType, sample.bootstrap), tries(5, 64)));
    const differing = verdicts.filter(({ problems, validation }) =>
      problems.length > 0 ? validation.ok : !validation.ok && isApiRefusal(validation),
    );
    expect(differing.map(describeVerdict), `seed ${seed}`).toEqual([]);
  });
});

/** Some changes of each label, chosen by the seed over all samples. */
function pick(propose: (sample: Sample) => Iterable<Mutation>, ofEach: number): Case[] {
  const random = randomNumbers(seed);
  const byLabel = new Map<string, { readonly sample: Sample; readonly mutation: Mutation }[]>();
  for (const sample of samples()) {
    for (const mutation of propose(sample)) {
      const group = byLabel.get(mutation.label) ?? [];
      byLabel.set(mutation.label, [...group, { sample, mutation }]);
    }
  }
  return [...byLabel.values()].flatMap((group) => {
    const chosen = group.map((item) => ({ item, order: random() })).sort((a, b) => a.order - b.order);
    return chosen.slice(0, ofEach).map(({ item: { sample, mutation } }) => ({
      sample,
      mutation,
      config: mutate(sample.bootstrap, mutation),
    }));
  });
}

/** The first sample with another path template in its access rule. */
function templateCase(template: string): Case {
  const [sample] = samples() as [Sample];
  const place = [...mutations(bootstrapType, sample.bootstrap)].find(
    ({ path: keys }) => keys.at(-2) === 'uri_template',
  );
  if (place === undefined) throw new Error('the sample has no path template');
  const mutation: Mutation = {
    ...place,
    label: template,
    apply: (target) => Object.assign(target, { path_template: template }),
  };
  return { sample, mutation, config: mutate(sample.bootstrap, mutation) };
}

async function judge(cases: readonly Case[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const queue = cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      const problems = checkMessage(bootstrapType, item.config);
      verdicts[index] = { ...item, problems, validation: await validateConfig(envoy, item.config) };
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  return verdicts;
}

/** Envoy's words where the message itself is at fault, not what it refers to. */
function isApiRefusal({ message }: Validation): boolean {
  return /Proto constraint validation failed|has unknown fields|Unable to parse JSON as proto|Invalid duration/.test(
    message,
  );
}

function describeVerdict({ sample, mutation, problems, validation }: Verdict): string {
  const ours = problems.map(({ path: place, message }) => `${place}: ${message}`).join('; ') || 'accepts';
  const theirs = validation.ok ? 'accepts' : validation.message;
  return `${mutation.label} at ${sample.name}:${mutation.path.join('.')} (checker: ${ours}; Envoy: ${theirs})`;
}

/** Mulberry32: the same numbers for the same seed, from 0 to 1. */
function randomNumbers(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

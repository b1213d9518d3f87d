import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { checkWire } from '../../access/evaluate/check-wire.ts';
import { normalizePath } from '../../access/model/normalize-path.ts';
import { codecDetails } from '../../gauge/differences.ts';
import type { GaugeCase } from '../../gauge/gauge-case.ts';
import { Dice } from '../../testing/dice.ts';
import { isSoak, newSeed, tries } from '../../testing/effort.ts';
import { addressOf, type GaugeRound, judgeRound, playRound } from '../../testing/gauge-round.ts';
import { GaugeTally } from '../../testing/gauge-tally.ts';
import { compileGauged, peerAuthentication } from '../../testing/gauged-mesh.ts';
import { tellingCases } from '../../testing/telling/cases.ts';
import { gauge } from './gauge.ts';

describe('the evaluator', () => {
  const meshCount = tries(30, 20);

  test(`says of requests to ${meshCount} generated servers and gateways what Envoy does, and why`, {
    timeout: 1_800_000,
  }, async () => {
    const seed = newSeed();
    const tally = new GaugeTally();
    const telling = await tellingCases((i) => addressOf(meshCount + i));
    const round = await playRound(new Dice(seed), meshCount, 300, telling);
    await record(round);
    const wrong = await judgeRound(round, tally);
    if (isSoak) process.stderr.write(`${tally.report()}\n`);
    expect(
      wrong.slice(0, 3).map((text) => `seed ${seed}: ${text}`),
      `${wrong.length} mismatches`,
    ).toEqual([]);
    expect(tally.unmodelled).toBe(0);
    // What is left of a share where the few meshes of one run are much alike.
    for (const kind of ['400', '401', '403', '404', 'closed', 'reaches']) {
      expect(tally.verdicts[kind] ?? 0, `share of ${kind}`).toBeGreaterThan(tally.cases / 100);
    }
    for (const kind of ['h2', 'bytes']) {
      expect((tally.protocols[kind] ?? 0) + (tally.protocols[`${kind} in TLS`] ?? 0), kind).toBeGreaterThan(0);
    }
  });

  test('reads every spelling of a path as Envoy does, at each level of normalization', {
    timeout: 600_000,
  }, async () => {
    const seed = newSeed();
    const dice = new Dice(seed);
    const levels = ['NONE', 'BASE', 'MERGE_SLASHES', 'DECODE_AND_MERGE_SLASHES'] as const;
    const meshes = await Promise.all(
      levels.map((level, i) =>
        compileGauged(addressOf(i), peerAuthentication('DISABLE'), { pathNormalization: level }),
      ),
    );
    const cases: readonly (GaugeCase & { readonly level: number })[] = Array.from({ length: tries(1_500, 40) }, () => {
      const level = dice.below(levels.length);
      const address = meshes[level]?.address ?? '';
      const connection = {
        source: `10.9.0.${1 + dice.below(20)}`,
        destination: { address, port: 8080 },
        protocol: 'http/1.1' as const,
      };
      return { level, connection, request: { method: 'GET', path: generatedPath(dice), authority: 'h', headers: [] } };
    });
    const answers = await gauge(meshes, cases);
    const wrong = cases.flatMap(({ level, request }, i) => {
      const options = {
        normalizes: level > 0,
        mergesSlashes: level > 1,
        escapedSlashes: level > 2 ? 'unescape' : 'keep',
      } as const;
      const fault = checkWire({ protocol: 'http/1.1' }, request);
      const normalized = normalizePath(request.path, options);
      const seen = normalized.kind === 'path' ? normalized.path : 'path_normalization_failed';
      const predicted = fault?.kind === 'answered' ? codecDetails(fault.details) : seen;
      const answer = answers[i];
      const found = answer?.sawPath ?? codecDetails(answer?.details ?? '');
      return predicted === found
        ? []
        : [`seed ${seed}, ${levels[level]}: ${request.path}: predicted ${predicted}, Envoy: ${found}`];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

/** For `scripts/access-faults.mjs`, which predicts the same cases again without Envoy. */
async function record({ meshes, owned, answers }: GaugeRound): Promise<void> {
  const path = process.env.GAUGE_RECORDING;
  if (path === undefined) return;
  const cases = owned.map(({ mesh, ...rest }) => ({ mesh: meshes.indexOf(mesh), ...rest }));
  const workloads = meshes.map(({ role, config }) => ({ role, config }));
  await writeFile(path, JSON.stringify({ now: Date.now() / 1000, workloads, cases, answers }));
}

/** What a path may hold that is read in more than one way. */
const pieces = [
  ...[
    '/',
    '/',
    '/',
    '//',
    '.',
    '..',
    'a',
    'abc',
    '%2e',
    '%2E',
    '%2f',
    '%5C',
    '\\',
    '\\..',
    ';',
    '..;',
    '.;',
    '/..;',
    ';a=1',
    '%2e;',
  ],
  ...['?', '%', '%4', '%41', '%7e', '%7F', '%00', '%3b', '%3f', '%25', '#', '\x7f', '\xe9'],
  ...Array.from('~!"$&\'()*+,:<=>@[]^_`{|}-'),
];

function generatedPath(dice: Dice): string {
  const start = dice.chance(97) ? '/' : '';
  return start + Array.from({ length: 1 + dice.below(9) }, () => dice.pick(pieces)).join('');
}

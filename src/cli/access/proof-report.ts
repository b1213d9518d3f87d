import { keyOf } from '../../access/world.ts';
import { visible, visibleInQuotes } from '../../diagnostics/formats/visible.ts';
import { type Change, changesBetween } from '../../gauge/change.ts';
import type { ProofResult } from '../../gauge/prove.ts';
import { formatProofs, isProved, proofsJson, seenText } from '../../gauge/report.ts';
import { type Colours, noColours } from '../../lib/colours.ts';
import type { ProofCase } from './proof-case.ts';

/** A case, and what came of it on each Envoy. */
export interface CaseProof {
  readonly proofCase: ProofCase;
  /** In the order of the Envoys. */
  readonly results: readonly ProofResult[];
}

/** What is said of all cases together. */
export interface ProofRun {
  /** Paths of one Envoy, or two. */
  readonly envoys: readonly string[];
  /** Of generated requests. */
  readonly seed: number | undefined;
  readonly cases: readonly CaseProof[];
}

type Standing = 'as-predicted' | 'not-as-predicted' | 'not-tried' | 'changed';

/** `changed`: two Envoys did different things, which is told before all else. */
export function standingOf({ results }: CaseProof): Standing {
  if (changesOf({ results }).length > 0) return 'changed';
  if (results.every(isProved)) return 'as-predicted';
  return results.some(({ proofs }) => proofs.some(({ differences }) => differences.length > 0))
    ? 'not-as-predicted'
    : 'not-tried';
}

/** Every case that is not as predicted, then the counts. */
export function formatProofRun({ envoys, seed, cases }: ProofRun, colours: Colours = noColours): string {
  const shown = cases.filter((one) => standingOf(one) !== 'as-predicted');
  const counts = (
    ['as-predicted', 'not-as-predicted', 'not-tried', ...(envoys.length > 1 ? ['changed' as const] : [])] as const
  ).map((standing) => `${cases.filter((one) => standingOf(one) === standing).length} ${words[standing]}`);
  const by = seed === undefined ? '' : `; seed ${seed}`;
  return [...shown.map((one) => formatCase(one, envoys, colours)), `${counts.join(', ')}${by}`, ''].join('\n');
}

const words: Readonly<Record<Standing, string>> = {
  'as-predicted': 'as predicted',
  'not-as-predicted': 'not as predicted',
  'not-tried': 'not tried',
  changed: 'different on the two Envoys',
};

function formatCase(one: CaseProof, envoys: readonly string[], colours: Colours): string {
  const { proofCase, results } = one;
  const { name, place, written } = proofCase;
  const where = place === undefined ? '' : ` (${visible(place.file)}:${place.line})`;
  const head = `${words[standingOf(one)].toUpperCase()} ${visible(name)}${where}`;
  const changes = changesOf(one);
  const body =
    changes.length > 0
      ? changes.flatMap((change) => formatChange(change, envoys))
      : results.map((result) => formatProofs(result, colours));
  return [head, `  request: ${visibleInQuotes(JSON.stringify(written))}`, ...body, ''].join('\n');
}

function formatChange(
  { proof: { workload, side, listener }, before, after }: Change,
  envoys: readonly string[],
): readonly string[] {
  return [
    `  ${keyOf(workload)}, ${side}: listener ${listener}`,
    `    ${envoys[0]}: ${seenText(before)}`,
    `    ${envoys[1]}: ${seenText(after)}`,
  ];
}

/** For programs. */
export function proofRunJson({ envoys, seed, cases }: ProofRun): object {
  return {
    format: 1,
    envoys,
    seed,
    cases: cases.map((one) => ({
      name: one.proofCase.name,
      ...one.proofCase.place,
      request: one.proofCase.written,
      standing: standingOf(one),
      results: one.results.map(proofsJson),
    })),
  };
}

/** What is different, in words that stay the same for a smaller case that shows the same; undefined where nothing is. */
export function findingOf(one: CaseProof): string | undefined {
  const [change] = changesOf(one);
  if (change !== undefined) {
    const { proof, before, after } = change;
    return JSON.stringify([proof.side, ...[before, after].map(({ status, details }) => [status, ownWord(details)])]);
  }
  const wrong = one.results.flatMap(({ proofs }) => proofs).find(({ differences }) => differences.length > 0);
  if (wrong === undefined) return undefined;
  const { side, differences, predicted, seen } = wrong;
  const kinds = predicted.map(({ outcome }) => [
    outcome.kind,
    'status' in outcome ? outcome.status : 0,
    'details' in outcome ? ownWord(outcome.details) : '',
  ]);
  return JSON.stringify([side, differences, kinds, seen.status, ownWord(seen.details)]);
}

/** Without the number of the rule, or the place in a token. */
function ownWord(details: string): string {
  return details.replace(/[[{].*/, '');
}

/** What two Envoys did in different ways. */
export function changesOf({ results: [first, second] }: Pick<CaseProof, 'results'>): readonly Change[] {
  return first === undefined || second === undefined ? [] : changesBetween(first, second);
}

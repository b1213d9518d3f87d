import { visible } from '../../diagnostics/formats/visible.ts';
import { type Colours, noColours } from '../../lib/colours.ts';
import type { Unknown } from '../evaluate/choices.ts';
import { type ExplainedLeg, type ExplainedStep, type ExplainedWay, lastStep } from '../explanation.ts';
import type { Outcome } from '../outcome.ts';
import { keyOf } from '../world.ts';
import { decision, objectOf } from './objects.ts';

/** The ways of a request for people: the verdict first, then each station, then notes, then what was assumed, if anything was. */
export function formatWays(
  ways: readonly ExplainedWay[],
  assumptions: readonly string[] = [],
  notes: readonly string[] = [],
  colours: Colours = noColours,
): string {
  const several = ways.length > 1 ? [`${ways.length} outcomes are possible:\n`] : [];
  const assumed =
    assumptions.length === 0 ? [] : [colours.strong('assumed:'), ...assumptions.map((text) => `  - ${text}`)];
  return `${[...several, ...ways.map((way) => formatWay(way, colours)), ...notes.map((note) => `${note}\n`), ...assumed].join('\n')}\n`;
}

function formatWay({ outcome, legs, target, because }: ExplainedWay, colours: Colours): string {
  const last = lastStep(legs);
  const verdict = verdictOf(outcome, target === undefined ? undefined : keyOf(target), last);
  const lines = legs.flatMap(formatLeg);
  const met = (last?.met ?? []).map(({ wants, has }) => visible(`  it matches: ${wants}; the request has ${has}`));
  const near = legs.flatMap(({ steps }) => steps.flatMap((step) => formatMisses(step, step === last)));
  const assumed = (because ?? []).map((unknown) => `  if ${conditionOf(unknown)}`);
  return [colours[colourOf[outcome.kind]](verdict), ...assumed, ...lines, ...met, ...near, ''].join('\n');
}

const colourOf: Readonly<Record<Outcome['kind'], 'good' | 'bad' | 'unsure'>> = {
  reaches: 'good',
  answered: 'bad',
  closed: 'bad',
  reset: 'bad',
  unmodelled: 'unsure',
};

/** Under ALLOW only the step that denied: other requests have met a rule. */
function formatMisses({ nearMisses, action }: ExplainedStep, isLast: boolean): readonly string[] {
  if (action !== 'DENY' && !isLast) return [];
  const short = action === 'DENY' ? 'one condition short of being denied by' : 'one condition short of';
  return nearMisses.map(({ rule, wants, has }) => visible(`  ${short} ${rule}: ${wants}; the request has ${has}`));
}

/** The verdict alone. */
export function shortVerdict(outcome: Outcome, target: string | undefined): string {
  return verdictOf(outcome, target, undefined);
}

function verdictOf(outcome: Outcome, target: string | undefined, last: ExplainedStep | undefined): string {
  const by = last === undefined || last.decidedBy.length === 0 ? '' : ` (${last.decidedBy.map(objectOf).join('; ')})`;
  switch (outcome.kind) {
    case 'reaches':
      return `reaches ${target ?? outcome.clusters.join(' or ')}`;
    case 'answered':
      return `${outcome.status} ${grpcOf(outcome.grpcStatus)}${outcome.details}${whyOf(outcome.why)}${by}`;
    case 'reset':
      return `000 the stream is reset: ${outcome.details}${by}; curl exits with 92`;
    case 'closed':
      return `000 the connection is closed: ${outcome.details}${by}; curl exits with ${outcome.exitCodes.join(' or ')}`;
    case 'unmodelled':
      return `unknown: something on the way is not understood: ${outcome.at}`;
  }
}

function conditionOf({ kind, of, answer }: Unknown): string {
  switch (kind) {
    case 'authorizer':
      return answer === 'away' ? `the authorizer ${of} does not answer` : `the authorizer ${of} answers "${answer}"`;
    case 'fault':
      return `the fault of route ${of} is ${answer}`;
    case 'weight':
      return `${of} chooses ${answer}`;
    case 'time':
      return `the proxy's clock is ${answer} the token's ${of}`;
    case 'endpoint':
      return `${answer} is chosen`;
    case 'blank':
      return `${of}: ${answer}`;
  }
}

function whyOf(why: string | undefined): string {
  return why === undefined ? '' : `: ${why}`;
}

function grpcOf(status: number | undefined): string {
  return status === undefined ? '' : `with grpc-status ${status} `;
}

function formatLeg({ workload, side, listener, steps }: ExplainedLeg): readonly string[] {
  const place = `  ${keyOf(workload)}, ${side}`;
  if (listener === undefined) return [`${place}: no proxy on the way`];
  const lines = steps.map((step) => `    ${formatStep(step)}`);
  // Chains that do not match may be decided by the same fields.
  return [`${place}: listener ${listener}`, ...lines.filter((line, i) => line !== lines[i - 1])];
}

const stations: Readonly<Record<ExplainedStep['station'], string>> = {
  chain: 'filter chain',
  tls: 'TLS',
  'network-access': 'access of connections',
  path: 'path',
  token: 'token',
  access: 'access of requests',
  authorizer: 'external authorizer',
  cors: 'CORS',
  fault: 'injected fault',
  route: 'route',
};

function formatStep({ station, decider, why, decidedBy }: ExplainedStep): string {
  const found = decider === '' ? 'none matches' : decider;
  const words = station === 'tls' && why !== undefined ? why : `${found}${whyOf(why)}`;
  return visible(`${stations[station]}: ${words}${decision(decidedBy)}`);
}

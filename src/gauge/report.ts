import type { Passage } from '../access/outcome.ts';
import { keyOf } from '../access/world.ts';
import { type Colours, noColours } from '../lib/colours.ts';
import type { GaugeAnswer } from './gauge-case.ts';
import type { Proof, ProofResult } from './prove.ts';

/** Whether every proxy on the way was tried, and did what was predicted. */
export function isProved({ proofs, gaps }: ProofResult): boolean {
  return gaps.length === 0 && proofs.every((proof) => proof.differences.length === 0);
}

/** The proofs of one request for people: a paragraph for each proxy, then what was not tried. */
export function formatProofs({ proofs, gaps }: ProofResult, colours: Colours = noColours): string {
  return [
    ...proofs.flatMap((proof) => formatProof(proof, colours)),
    ...gaps.map((gap) => `  ${colours.unsure('not tried')}: ${gap}`),
  ].join('\n');
}

/** The proofs of one request for programs. */
export function proofsJson({ proofs, gaps }: ProofResult): object {
  return {
    proxies: proofs.map(({ predicted, seen: { opener: _opener, ...seen }, ...rest }) => ({
      ...rest,
      predicted: predicted.map((passage) => ({
        outcome: passage.outcome,
        chain: deciderOf(passage, 'chain'),
        route: deciderOf(passage, 'route'),
      })),
      seen,
    })),
    gaps,
  };
}

function formatProof(
  { workload, side, listener, destination: { address, port }, predicted, seen, differences }: Proof,
  colours: Colours,
): readonly string[] {
  const to = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const place = `  ${keyOf(workload)}, ${side}: listener ${listener}, to ${to}`;
  if (differences.length === 0) return [`${place}: ${colours.good('as predicted')}: ${seenText(seen)}`];
  return [
    `${place}: ${colours.bad('not as predicted')}: ${differences.join(', ')}`,
    `    predicted: ${predicted.map(predictedText).join(', or ')}`,
    `    seen: ${seenText(seen)}`,
  ];
}

function predictedText(passage: Passage): string {
  return `${outcomeText(passage.outcome)}${placeText(deciderOf(passage, 'chain'), deciderOf(passage, 'route'))}`;
}

function outcomeText(outcome: Passage['outcome']): string {
  switch (outcome.kind) {
    case 'answered':
      return answerText(outcome.status, outcome.details, outcome.grpcStatus);
    case 'reaches':
      return `sent on to ${outcome.clusters.join(' or ')}`;
    case 'closed':
      return `000 ${outcome.details}`;
    case 'reset':
      return `000 the stream is reset: ${outcome.details}`;
    case 'unmodelled':
      return `unknown, because of ${outcome.at}`;
  }
}

/** What Envoy did, in the words of predictions. */
export function seenText({ status, details, ending, cluster, chain, route, grpcStatus }: GaugeAnswer): string {
  const place = placeText(chain, route);
  const isAnswered = status !== 0 || ending === 'bytes';
  if (isAnswered && cluster !== '' && (details === 'via_upstream' || details === ''))
    return `sent on to ${cluster}${place}`;
  if (status !== 0) return `${answerText(status, details, grpcStatus)}${place}`;
  if (ending === 'bytes') return `bytes come back${place}`;
  return `000 ${[details, ending === undefined ? '' : `(${ending})`].filter((part) => part !== '').join(' ')}${place}`;
}

function answerText(status: number, details: string, grpcStatus: number | undefined): string {
  return `${status} ${grpcStatus === undefined ? '' : `with grpc-status ${grpcStatus} `}${details}`;
}

function placeText(chain: string, route: string): string {
  return `${chain === '' ? '' : `; filter chain ${chain}`}${route === '' ? '' : `; route ${route}`}`;
}

function deciderOf({ steps }: Passage, station: 'chain' | 'route'): string {
  return steps.find((step) => step.station === station)?.decider ?? '';
}

import { isIP } from 'node:net';
import type { Passing, Way } from '../access/evaluate/way.ts';
import type { Passage } from '../access/outcome.ts';
import type { Connection, HttpRequest } from '../access/request.ts';
import { keyOf, type WorkloadName } from '../access/world.ts';
import type { ConfigParts } from '../envoy/static-form.ts';
import { differences } from './differences.ts';
import type { Gate } from './gates.ts';
import type { GateCase, GaugeAnswer, SentCase } from './gauge-case.ts';
import { refusalOf } from './http2-client.ts';
import { type GateRun, runGates } from './run-gates.ts';

/** What is said of one proxy on the way of a request, and what a real Envoy with its configuration did. */
export interface Proof {
  readonly workload: WorkloadName;
  readonly side: Way['legs'][number]['side'];
  readonly listener: string;
  /** Where the connection goes, before any redirection. */
  readonly destination: Connection['destination'];
  /** One for each possible outcome at this proxy. */
  readonly predicted: readonly Passage[];
  readonly seen: GaugeAnswer;
  /** Names of what differs from the prediction that is nearest; empty: one of them holds. */
  readonly differences: readonly string[];
}

/** The possible ways of one request. */
export interface ProvenRequest {
  readonly ways: readonly Way[];
}

/** Proofs of one request, or why it was not sent. */
export interface ProofResult {
  readonly proofs: readonly Proof[];
  /** Sentences; empty: every proxy on the way was tried. */
  readonly gaps: readonly string[];
}

interface Trial {
  readonly leg: Omit<Proof, 'predicted' | 'seen' | 'differences'>;
  readonly predicted: Passage[];
  readonly sent: GateCase;
}

/**
 * Sends what comes to each proxy on the ways of these requests to a real Envoy with the configuration of that proxy, and
 * compares. `configOf` gives the configuration of a workload (`namespace/name`).
 */
export async function proveWays(
  requests: readonly ProvenRequest[],
  configOf: (workload: string) => ConfigParts | undefined,
  run: GateRun,
): Promise<readonly ProofResult[]> {
  const gates = new Map<string, Gate>();
  const planned = requests.map((request) => plan(request, configOf, gates));
  const trials = planned.flatMap((one) => one.trials);
  const answers =
    trials.length === 0
      ? []
      : await runGates(
          [...gates.values()],
          trials.map(({ sent }) => sent),
          run,
        );
  let next = 0;
  return planned.map(({ trials: own, gaps }) => ({
    gaps,
    proofs: own.map((trial) => judged(trial, answers[next++] as GaugeAnswer)),
  }));
}

/** Why some proxy on these ways cannot be tried; empty: all can. */
export function gapsOf(
  request: ProvenRequest,
  configOf: (workload: string) => ConfigParts | undefined,
): readonly string[] {
  return plan(request, configOf, new Map()).gaps;
}

/** One trial for each different thing that comes to a proxy. */
function plan(
  { ways }: ProvenRequest,
  configOf: (workload: string) => ConfigParts | undefined,
  gates: Map<string, Gate>,
): { readonly trials: readonly Trial[]; readonly gaps: readonly string[] } {
  const trials = new Map<string, Trial>();
  const gaps = new Set<string>();
  for (const { workload, side, listener, steps, passing } of ways.flatMap(({ legs }) => legs)) {
    const config = configOf(keyOf(workload));
    if (listener === undefined || passing === undefined || config === undefined) continue;
    const gap = gapIn(passing);
    if (gap !== undefined) {
      gaps.add(`${keyOf(workload)}, ${side}: ${gap}`);
      continue;
    }
    const gate = `${keyOf(workload)} ${listener}`;
    const { connection, request, outcome } = passing;
    const key = JSON.stringify([gate, connection, request]);
    const known = trials.get(key);
    if (known !== undefined) known.predicted.push({ outcome, steps });
    const sent = { gate, connection, request: request && knownHeaders(request) };
    const refusal = known === undefined ? unsendable(sent) : undefined;
    if (refusal !== undefined) {
      gaps.add(`${keyOf(workload)}, ${side}: ${refusal}`);
      continue;
    }
    gates.set(gate, { key: gate, listener, config });
    const leg = { workload, side, listener, destination: connection.destination };
    if (known === undefined) trials.set(key, { leg, predicted: [{ outcome, steps }], sent });
  }
  if (trials.size === 0 && gaps.size === 0) gaps.add('no proxy is on the way: there is nothing that Envoy decides');
  return { trials: [...trials.values()], gaps: [...gaps] };
}

function gapIn({ connection: { source, destination, tls }, outcome }: Passing): string | undefined {
  if (outcome.kind === 'unmodelled') return `nothing is predicted: something is not understood: ${outcome.at}`;
  const families = [source, destination.address].map((address) => isIP(address));
  if (families.includes(0)) return `"${destination.address}" is no IP address, which a connection needs`;
  if (families[0] !== families[1]) return `no connection leads from ${source} to ${destination.address}`;
  if (!isUnicast(source)) return `${source} is the address of no client`;
  if ((tls?.identities?.length ?? 0) > 1) return 'the client has a certificate with several identities';
  return undefined;
}

/** Why no client here sends a request as it is. */
function unsendable({ connection: { protocol }, request }: SentCase): string | undefined {
  if (request === undefined) return undefined;
  const { method, path, authority, headers } = request;
  const isWide = [method, path, authority, ...headers.flat()].some((text) => /[^\0-\xff]/.test(text));
  if (isWide) return 'the request cannot be sent: it has a character that is more than one byte';
  const refusal = protocol === 'h2' ? refusalOf(request) : undefined;
  return refusal && `the request cannot be sent over HTTP/2: ${refusal}`;
}

/** Whether one machine can have the address; Envoy takes no other from a PROXY header. */
export function isUnicast(address: string): boolean {
  return !/^(0|22[4-9]|2[3-5]\d)\.|^ff|^::$/i.test(address);
}

/** What only a proxy knows is there, with some value: no prediction depends on it. */
function knownHeaders({ opaque = [], ...request }: HttpRequest): HttpRequest {
  const headers = request.headers.map(
    ([name, value]) => [name, opaque.includes(name) && value === '' ? 'any' : value] as const,
  );
  return { ...request, headers };
}

function judged({ leg, predicted }: Trial, seen: GaugeAnswer): Proof {
  const all = predicted.map((passage) => differences(passage, seen)).sort((a, b) => a.length - b.length);
  return { ...leg, predicted, seen, differences: all[0] ?? [] };
}

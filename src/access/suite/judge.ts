import type { DecidingField } from '../../contracts/origins-file.ts';
import { type ExplainedWay, lastStep } from '../explanation.ts';
import type { Outcome } from '../outcome.ts';
import { objectOf } from '../report/objects.ts';
import { keyOf } from '../world.ts';

/** What every possible outcome of a request must be. */
export interface Expected {
  /** Of HTTP, answered by the mesh itself. */
  readonly status?: number;
  readonly grpcStatus?: number;
  /** Of curl; a list: any of them. */
  readonly exit?: number | readonly number[];
  /** `namespace/name` of the workload, or a host outside the mesh. */
  readonly reaches?: string;
  /** `Kind namespace/name`, and optionally a field of it. */
  readonly by?: string;
  /** Name of the external authorizer that is asked on the way; `none`: nobody is. */
  readonly authorizer?: string;
}

/** What is not as expected, a sentence each, over all ways that the request may take; empty: the case has passed. */
export function mismatches(ways: readonly ExplainedWay[], expected: Expected): readonly string[] {
  const found = ways.flatMap((way) => {
    const { outcome } = way;
    if (outcome.kind === 'unmodelled')
      return [`the outcome is not known: something on the way is not understood: ${outcome.at}`];
    return [
      ...statusMismatch(way, expected),
      ...grpcMismatch(way, expected),
      ...exitMismatch(way, expected),
      ...reachMismatch(way, expected),
      ...deciderMismatch(way, expected),
      ...authorizerMismatch(way, expected),
    ];
  });
  return [...new Set(found)];
}

/** What the mesh does, in a few words: `403`, `reaches shop/cart`, `closed, exit 56`. */
export function outcomeOf({ outcome, target }: Pick<ExplainedWay, 'outcome' | 'target'>): string {
  switch (outcome.kind) {
    case 'answered':
      return outcome.grpcStatus === undefined
        ? `${outcome.status}`
        : `${outcome.status}, gRPC status ${outcome.grpcStatus}`;
    case 'reaches':
      return `reaches ${target === undefined ? outcome.clusters.join(' or ') : keyOf(target)}`;
    case 'closed':
      return `closed, exit ${outcome.exitCodes.join(' or ')}`;
    case 'reset':
      return 'closed, exit 92';
    case 'unmodelled':
      return 'unknown';
  }
}

function statusMismatch(way: ExplainedWay, { status }: Expected): readonly string[] {
  if (status === undefined || (way.outcome.kind === 'answered' && way.outcome.status === status)) return [];
  const delivered = 'the request is delivered, and what the application answers is not known: expect "reaches" instead';
  if (way.outcome.kind === 'reaches') return [`expected status ${status}; it ${outcomeOf(way)}; ${delivered}`];
  return [`expected status ${status}, not ${outcomeOf(way)}`];
}

function grpcMismatch(way: ExplainedWay, { grpcStatus }: Expected): readonly string[] {
  if (grpcStatus === undefined) return [];
  const found = way.outcome.kind === 'answered' ? way.outcome.grpcStatus : undefined;
  return found === grpcStatus ? [] : [`expected gRPC status ${grpcStatus}, not ${outcomeOf(way)}`];
}

function exitMismatch(way: ExplainedWay, { exit }: Expected): readonly string[] {
  if (exit === undefined) return [];
  const wanted = typeof exit === 'number' ? [exit] : exit;
  const found = exitCodesOf(way.outcome);
  if (found?.every((code) => wanted.includes(code))) return [];
  const several = (found?.length ?? 0) > 1 ? `: write exit: [${found?.join(', ')}] if either will do` : '';
  return [`expected exit ${wanted.join(' or ')}, not ${outcomeOf(way)}${several}`];
}

function exitCodesOf(outcome: Outcome): readonly number[] | undefined {
  if (outcome.kind === 'closed') return outcome.exitCodes;
  return outcome.kind === 'reset' ? [92] : undefined;
}

function reachMismatch(way: ExplainedWay, { reaches }: Expected): readonly string[] {
  if (reaches === undefined) return [];
  const { outcome, target } = way;
  const isThere =
    outcome.kind === 'reaches' &&
    (target === undefined
      ? outcome.clusters.every((cluster) => cluster === reaches || cluster.endsWith(`|${reaches}`))
      : keyOf(target) === reaches);
  return isThere ? [] : [`expected that it reaches ${reaches}, not ${outcomeOf(way)}`];
}

function deciderMismatch(way: ExplainedWay, { by }: Expected): readonly string[] {
  if (by === undefined) return [];
  // Steps are explained when somebody asks for them.
  const deciders = lastStep(way.legs)?.decidedBy ?? [];
  if (deciders.some((decider) => isNamed(decider, by))) return [];
  const found = deciders.length === 0 ? 'no object' : deciders.map(objectOf).join('; ');
  return [`expected that ${by} decides, not ${found}`];
}

function authorizerMismatch({ legs }: ExplainedWay, { authorizer }: Expected): readonly string[] {
  if (authorizer === undefined) return [];
  const steps = legs.flatMap((leg) => leg.steps.filter(({ station }) => station === 'authorizer'));
  const asked = [...new Set(steps.map(({ decider }) => decider))];
  if (authorizer === 'none' ? asked.length === 0 : asked.includes(authorizer)) return [];
  const wanted = authorizer === 'none' ? 'no external authorizer' : `the external authorizer ${authorizer}`;
  return [`expected that ${wanted} is asked, not ${asked.length === 0 ? 'none' : asked.join(', ')}`];
}

/** Whether the words name the object, and a field that is this one or holds it. */
function isNamed({ kind, namespace, name, field }: DecidingField, by: string): boolean {
  const object = `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
  if (by === object) return true;
  const wanted = by.startsWith(`${object} `) ? by.slice(object.length + 1).trim() : undefined;
  if (wanted === undefined || !field.startsWith(wanted)) return false;
  return field.length === wanted.length || /^[.[]/.test(field.slice(wanted.length));
}

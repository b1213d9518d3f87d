import type { Way } from '../evaluate/way.ts';
import type { Step } from '../outcome.ts';
import { keyOf, type WorkloadName, type World, workloadAt } from '../world.ts';
import type { LineVerdict } from './judge-line.ts';
import type { LoggedRequest } from './logged-request.ts';
import type { ReplayedLine } from './replayer.ts';

/** A line of a log, and what it says. */
export interface TalliedLine {
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly logged: LoggedRequest;
}

/** Lines with the same verdict for the same reason. */
export interface LineGroup {
  readonly verdict: LineVerdict;
  /** What decided a change, and in which version. */
  readonly decided?: Decision;
  count: number;
  /** How many of the lines are of each client. */
  readonly clients: Map<string, number>;
  readonly first: TalliedLine[];
}

/** The step that makes the difference. */
export interface Decision {
  readonly version: 'old' | 'new';
  readonly workload: WorkloadName;
  readonly way: Way;
  readonly step: Step;
}

export type Counted = LineVerdict['kind'] | 'not placed' | 'not read';

/** So many groups, clients of a group, and lines of a group are kept; the others are only counted. */
const mostGroups = 1_000;
const mostClients = 100;
const mostLines = 3;

/** Counts verdicts, and groups what is not the same. Its memory does not grow with the number of lines. */
export class Tally {
  readonly counts: Record<Counted, number> = {
    ...{ same: 0, changed: 0, 'may change': 0, miss: 0 },
    ...{ 'not placed': 0, 'not read': 0 },
  };
  readonly groups = new Map<string, LineGroup>();
  /** Why lines were not placed or not read, with how many and the first of them. */
  readonly reasons = new Map<string, { count: number; readonly first: string }>();
  readonly #world: World;

  /** The old mesh, which has the names of clients. */
  constructor(world: World) {
    this.#world = world;
  }

  add(replayed: ReplayedLine, line: TalliedLine): void {
    if ('unplaced' in replayed) {
      this.refuse('not placed', replayed.unplaced, line);
      return;
    }
    const { verdict } = replayed;
    this.counts[verdict.kind]++;
    if (verdict.kind === 'same') return;
    const decided = verdict.kind === 'changed' ? decisionOf(verdict) : undefined;
    const key = groupKey(verdict, decided, line.logged);
    const group = this.groups.get(key) ?? this.#newGroup(key, verdict, decided);
    group.count++;
    const client = this.#clientOf(line.logged);
    const isKnown = group.clients.has(client) || group.clients.size < mostClients;
    const name = isKnown ? client : 'others';
    group.clients.set(name, (group.clients.get(name) ?? 0) + 1);
    if (group.first.length < mostLines) group.first.push(line);
  }

  /** A line that was not compared. */
  refuse(kind: 'not placed' | 'not read', why: string, { file, line }: Pick<TalliedLine, 'file' | 'line'>): void {
    this.counts[kind]++;
    const key = this.reasons.has(why) || this.reasons.size < mostGroups ? why : 'other reasons';
    const reason = this.reasons.get(key) ?? { count: 0, first: `${file}:${line}` };
    reason.count++;
    this.reasons.set(key, reason);
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  #newGroup(key: string, verdict: LineVerdict, decided: Decision | undefined): LineGroup {
    const isFull = this.groups.size >= mostGroups;
    const found = isFull ? this.groups.get(`others ${verdict.kind}`) : undefined;
    const group = found ?? { verdict, ...(decided && { decided }), count: 0, clients: new Map(), first: [] };
    this.groups.set(isFull ? `others ${verdict.kind}` : key, group);
    return group;
  }

  #clientOf({ identity, source }: LoggedRequest): string {
    if (identity !== undefined) return identity;
    const address = source?.address ?? '';
    const workload = workloadAt(this.#world, address);
    return workload === undefined ? address : `${keyOf(workload)} (${address})`;
  }
}

function groupKey(verdict: LineVerdict, decided: Decision | undefined, { status, details }: LoggedRequest): string {
  const ends = 'after' in verdict ? [verdict.before, verdict.after] : 'predicted' in verdict ? [verdict.predicted] : [];
  const lacks = 'lacks' in verdict ? verdict.lacks : [];
  const by = decided && [decided.version, keyOf(decided.workload), decided.step.station, decided.step.decider];
  const logged = verdict.kind === 'miss' ? [status, details] : [];
  return JSON.stringify([verdict.kind, ends.map((way) => way && endOf(way)), lacks, by, logged]);
}

function endOf({ outcome, target }: Way): readonly unknown[] {
  const end = outcome.kind === 'answered' ? [outcome.status, outcome.grpcStatus, outcome.details, outcome.why] : [];
  return [outcome.kind, target && keyOf(target), ...end];
}

/**
 * Of a request that is answered now, what answers it. Of one that is delivered now, the rule that denied it before; where none
 * matched before, the one that allows it now.
 */
function decisionOf({ before, after }: LineVerdict & { readonly kind: 'changed' }): Decision | undefined {
  const last = (version: 'old' | 'new', way: Way): Decision | undefined => {
    const leg = way.legs.findLast(({ steps }) => steps.length > 0);
    const step = leg?.steps.at(-1);
    return leg && step && { version, workload: leg.workload, way, step };
  };
  if (after.outcome.kind !== 'reaches') return last('new', after);
  const denied = last('old', before);
  if (before.outcome.kind === 'reaches') return routeOf(after) ?? denied;
  return denied?.step.decider === '' ? (allowed(after) ?? denied) : denied;
}

function allowed(way: Way): Decision | undefined {
  const found = way.legs.flatMap(({ workload, steps }) =>
    steps.flatMap((step) => (step.action === 'ALLOW' && step.decider !== '' ? [{ workload, step }] : [])),
  );
  const [last] = found.slice(-1);
  return last && { version: 'new', way, ...last };
}

function routeOf(way: Way): Decision | undefined {
  const [leg] = way.legs;
  const step = leg?.steps.findLast(({ station }) => station === 'route');
  return leg && step && { version: 'new', workload: leg.workload, way, step };
}

import type { DecidingField, OriginsFile } from '../../contracts/origins-file.ts';
import type { Way } from '../evaluate/way.ts';
import { explainWays } from '../explanation.ts';
import type { Outcome } from '../outcome.ts';
import { keyOf } from '../world.ts';
import type { LineVerdict } from './judge-line.ts';
import type { Counted, Decision, LineGroup, TalliedLine, Tally } from './tally.ts';

/** The end of a request, for programs. */
export interface ReportedEnd {
  readonly outcome: Outcome['kind'];
  readonly status?: number;
  readonly grpcStatus?: number;
  readonly details?: string;
  /** Of a proxy whose connection to the next one fails: why. */
  readonly why?: string;
  /** `namespace/name` of the workload that it comes to. */
  readonly target?: string;
}

/** Lines with one verdict for one reason. */
export interface ReportedGroup {
  readonly verdict: LineVerdict['kind'];
  readonly lines: number;
  readonly before?: ReportedEnd;
  readonly after?: ReportedEnd;
  readonly decidedBy?: {
    /** Which inputs it is in. */
    readonly version: Decision['version'];
    /** The workload at which it decides. */
    readonly workload: string;
    /** Envoy's name of the rule, chain or route; empty where none matched. */
    readonly rule: string;
    readonly objects: readonly DecidingField[];
  };
  /** What the log lacks. */
  readonly lacks?: readonly string[];
  readonly clients: readonly { readonly client: string; readonly lines: number }[];
  readonly first: readonly ReportedLine[];
}

export interface ReportedLine {
  readonly file: string;
  readonly line: number;
  readonly client: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly details?: string;
}

/** The summary of a run. */
export interface ReplayReport {
  readonly format: 1;
  readonly total: number;
  readonly counts: Readonly<Record<Counted, number>>;
  readonly groups: readonly ReportedGroup[];
  /** Lines that were not compared, by the reason. */
  readonly notCompared: readonly { readonly why: string; readonly lines: number; readonly first: string }[];
}

type Origins = Readonly<Record<Decision['version'], (workload: string) => OriginsFile>>;

const order: readonly LineVerdict['kind'][] = ['changed', 'may change', 'miss'];

/** Changes first, and of each kind the largest group first. */
export function reportOf(tally: Tally, origins: Origins): ReplayReport {
  const { total, counts, groups, reasons } = tally;
  const sorted = [...groups.values()].sort(
    (a, b) => order.indexOf(a.verdict.kind) - order.indexOf(b.verdict.kind) || b.count - a.count,
  );
  return {
    ...{ format: 1, total, counts },
    groups: sorted.map((group) => reportedGroup(group, origins)),
    notCompared: [...reasons]
      .map(([why, { count, first }]) => ({ why, lines: count, first }))
      .sort((a, b) => b.lines - a.lines),
  };
}

function reportedGroup({ verdict, decided, count, clients, first }: LineGroup, origins: Origins): ReportedGroup {
  return {
    ...{ verdict: verdict.kind, lines: count },
    ...endsOf(verdict),
    ...(decided !== undefined && { decidedBy: decidedBy(decided, origins) }),
    ...('lacks' in verdict && { lacks: verdict.lacks }),
    clients: [...clients].map(([client, lines]) => ({ client, lines })).sort((a, b) => b.lines - a.lines),
    first: first.map(reportedLine),
  };
}

/** Both ends of a line, as far as they are known. */
export function endsOf(verdict: LineVerdict): Pick<ReportedGroup, 'before' | 'after'> {
  const before = verdict.kind === 'miss' ? verdict.predicted : verdict.before;
  const after = 'after' in verdict ? verdict.after : undefined;
  return { ...(before && { before: endOf(before) }), ...(after && { after: endOf(after) }) };
}

function endOf({ outcome, target }: Way): ReportedEnd {
  const place = target === undefined ? {} : { target: keyOf(target) };
  switch (outcome.kind) {
    case 'reaches':
      return { outcome: outcome.kind, target: outcome.clusters.join(' or '), ...place };
    case 'answered': {
      const { kind: ended, status, details, why, grpcStatus } = outcome;
      const more = { ...(why !== undefined && { why }), ...(grpcStatus !== undefined && { grpcStatus }) };
      return { outcome: ended, status, details, ...more, ...place };
    }
    case 'unmodelled':
      return { outcome: outcome.kind, details: outcome.at, ...place };
    default:
      return { outcome: outcome.kind, details: outcome.details, ...place };
  }
}

function decidedBy(
  { version, workload, way, step }: Decision,
  origins: Origins,
): NonNullable<ReportedGroup['decidedBy']> {
  const only = { ...way, legs: way.legs.map((leg) => ({ ...leg, steps: leg.steps.filter((one) => one === step) })) };
  const [explained] = explainWays([only], origins[version]);
  const [found] = explained?.legs.flatMap(({ steps }) => steps) ?? [];
  return { version, workload: keyOf(workload), rule: step.decider, objects: found?.decidedBy ?? [] };
}

/** The line, for the first lines of a group and for `--verbose`. */
export function reportedLine({ file, line, logged }: TalliedLine): ReportedLine {
  const { method, path, status, details, identity, source } = logged;
  return {
    ...{ file, line, client: identity ?? source?.address ?? '' },
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(status !== undefined && { status }),
    ...(details !== undefined && { details }),
  };
}

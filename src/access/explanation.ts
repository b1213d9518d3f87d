import type { DecidingField, OriginsFile } from '../contracts/origins-file.ts';
import type { Leg, Way } from './evaluate/way.ts';
import type { Outcome, Step } from './outcome.ts';
import { clusterDecidersOf, decidersOf } from './reason/deciders.ts';
import type { MetCondition } from './reason/near-miss.ts';
import { keyOf, type WorkloadName } from './world.ts';

/** One step of a request, and the fields of objects that decided it. */
export interface ExplainedStep {
  readonly station: Step['station'];
  /** Name of the chain, rule or route; empty where none was met. */
  readonly decider: string;
  /** Where nothing decided: why. */
  readonly why?: string;
  readonly decidedBy: readonly DecidingField[];
  /** Of access rules: what a rule does with a request that it matches. */
  readonly action?: Step['action'];
  /** Rules that would have matched but for one condition. */
  readonly nearMisses: readonly { readonly rule: string; readonly wants: string; readonly has: string }[];
  /** Conditions of the rule that denied. */
  readonly met?: readonly MetCondition[];
}

export interface ExplainedLeg {
  readonly workload: WorkloadName;
  readonly side: Leg['side'];
  /** Absent where no proxy of the workload is on the way. */
  readonly listener?: string;
  readonly steps: readonly ExplainedStep[];
}

/** One way of a request: its result, and every step before. */
export interface ExplainedWay {
  readonly outcome: Outcome;
  readonly target?: WorkloadName;
  readonly legs: readonly ExplainedLeg[];
  /** What it assumes of things that nobody knows. */
  readonly because?: Way['because'];
}

/** Adds to each way the objects that decided it, and joins ways with the same steps and result. */
export function explainWays(
  ways: readonly Way[],
  originsOf: (workload: string) => OriginsFile,
): readonly ExplainedWay[] {
  const explained = ways.map(({ outcome, legs, target, because }): ExplainedWay => {
    let explainedLegs: readonly ExplainedLeg[] | undefined;
    return {
      outcome,
      ...(target !== undefined && { target: { namespace: target.namespace, name: target.name } }),
      // Of most requests nobody asks how they went.
      get legs() {
        explainedLegs ??= legs.map((leg) => explainLeg(leg, originsOf));
        return explainedLegs;
      },
      ...(because !== undefined && { because }),
    };
  });
  if (explained.length === 1) return explained;
  return [...new Map(explained.map((way) => [JSON.stringify(way), way])).values()];
}

function explainLeg(
  { workload, side, listener, steps }: Leg,
  originsOf: (workload: string) => OriginsFile,
): ExplainedLeg {
  const { namespace, name } = workload;
  const changing = (): ReadonlySet<string> => changingOf(steps);
  const explain = ({ station, at, decider, why, table, cluster, nearMisses, met, action }: Step): ExplainedStep => ({
    station,
    decider,
    ...(why !== undefined && { why }),
    // Of most requests nobody asks why.
    get decidedBy() {
      const origins = originsOf(keyOf(workload));
      if (cluster !== undefined) return clusterDecidersOf(origins, cluster, at);
      return decidersOf(origins, table ?? listener ?? '', at);
    },
    get nearMisses() {
      return (nearMisses?.(changing()) ?? []).map(({ rule, wants, has }) => ({ rule: rule.name, wants, has }));
    },
    ...(action !== undefined && { action }),
    ...(met !== undefined && { met: met() }),
  });
  return {
    workload: { namespace, name },
    side,
    ...(listener !== undefined && { listener }),
    steps: steps.map(explain),
  };
}

/** The last step of a way; what it came to without a proxy has none. */
export function lastStep<T extends object>(legs: readonly { readonly steps: readonly T[] }[]): T | undefined {
  return legs.findLast(({ steps }) => steps.length > 0)?.steps.at(-1);
}

/** What a request would have to change that no rule lets pass, by the rules that it is one condition short of. */
export function changingOf(steps: readonly Step[]): ReadonlySet<string> {
  const last = steps.at(-1);
  const near = last?.action === 'ALLOW' ? (last.nearMisses?.() ?? []) : [];
  return new Set(near.flatMap(({ properties }) => [...properties]));
}

import type { AgentConfig } from '../agent-config.ts';
import type { Log } from '../log/log.ts';
import { terminateMs } from './shutdown.ts';

type PlanConfig = Pick<
  AgentConfig,
  'terminationDrain' | 'terminationDrainMs' | 'earliestDrainEndMs' | 'terminationGraceMs' | 'drainDurationMs'
>;

/** What SIGTERM will lead to, for people, and what is wrong with it. */
export interface StopPlan {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Says at the start what the end will be: several durations have a part in it, and one deadline comes of them. */
export function stopPlan(config: PlanConfig): StopPlan {
  const { terminationDrainMs: drainMs, earliestDrainEndMs: earliestMs, terminationGraceMs: graceMs } = config;
  const longestMs = drainMs + terminateMs;
  const early =
    earliestMs === undefined || earliestMs >= drainMs ? '' : `, or ${seconds(earliestMs)} once no connection is open`;
  const drain = drainMs <= 0 ? 'no drain' : `${config.terminationDrain} drain of ${seconds(drainMs)}${early}`;
  const warnings: string[] = [];
  if (graceMs !== undefined && longestMs > graceMs) {
    warnings.push(
      `a stop may take ${seconds(longestMs)}, but the agent is killed ${seconds(graceMs)} after SIGTERM: ` +
        'connections are cut; shorten terminationDrainDuration or lengthen the grace period',
    );
  }
  if (earliestMs !== undefined && earliestMs >= drainMs) {
    warnings.push(
      `a drain of ${seconds(drainMs)} cannot end early: MINIMUM_DRAIN_DURATION is ${seconds(earliestMs)}, no shorter`,
    );
  }
  return {
    text: `on SIGTERM: ${drain}, SIGTERM to Envoy, SIGKILL ${seconds(terminateMs)} later; ${seconds(longestMs)} at the most`,
    warnings,
  };
}

/** Logs the plan. */
export function tellStopPlan(config: PlanConfig, log: Log): void {
  const { text, warnings } = stopPlan(config);
  log.info(text);
  for (const warning of warnings) log.warn(warning);
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

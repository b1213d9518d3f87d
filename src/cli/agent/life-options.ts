import type { AgentConfig } from '../../agent/agent-config.ts';
import type { LifeSettings } from '../../config/agent-settings.ts';

/** The part of the agent's configuration that its end and its return depend on; the flag comes before the variable. */
export function lifeConfigOf(
  { restartPolicy }: { readonly restartPolicy?: LifeSettings['restartPolicy'] },
  life: LifeSettings,
): Pick<AgentConfig, 'earliestDrainEndMs' | 'terminationGraceMs' | 'restartPolicy' | 'notifySocket'> {
  return {
    restartPolicy: restartPolicy ?? life.restartPolicy,
    ...(life.endsDrainEarly && { earliestDrainEndMs: life.minimumDrainMs }),
    ...(life.terminationGraceMs !== undefined && { terminationGraceMs: life.terminationGraceMs }),
    ...(life.notifySocket !== undefined && { notifySocket: life.notifySocket }),
  };
}

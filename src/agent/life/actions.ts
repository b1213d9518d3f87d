import type { AgentActions } from '../status/actions.ts';
import type { StopRequests } from './stop-requests.ts';

/** What the status port may ask of this agent; `drain` is there while an Envoy that is ready runs. */
export function actionsOf(
  requests: StopRequests,
  current: { readonly drain?: (() => Promise<void>) | undefined },
): AgentActions {
  return {
    drain: () => current.drain?.() ?? Promise.reject(new Error('no Envoy is ready: there is nothing to drain')),
    quit: () => requests.quit('/quitquitquit'),
  };
}

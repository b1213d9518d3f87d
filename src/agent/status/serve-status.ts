import { AgentError } from '../agent-error.ts';
import type { AgentParts } from '../agent-parts.ts';
import type { CurrentEnvoy } from '../current-envoy.ts';
import { portOwner } from '../life/process-table.ts';
import type { AgentLife } from '../life/state.ts';
import type { StopRequests } from '../life/stop-requests.ts';
import { actionCallers } from './action-callers.ts';
import type { AgentActions } from './actions.ts';
import { blockedWorkers } from './blocked-workers.ts';
import { needsOwnCertificate } from './certificate-need.ts';
import { loopback, type PodAddresses } from './dial.ts';
import { MergedMetrics } from './merged-metrics.ts';
import { addressesOfWorkload } from './pod-addresses.ts';
import { Readiness } from './readiness.ts';
import { startStatusServer } from './status-server.ts';
import { nothingAsked } from './status-settings.ts';

/** Serves the status port for this agent's life; gives what ends it. */
export async function serveStatus(
  { config, status, metrics, observers, log }: AgentParts,
  life: AgentLife,
  requests: StopRequests,
  current: CurrentEnvoy,
): Promise<() => Promise<void>> {
  const { probes, scrapeTargets, podAddress } = status ?? nothingAsked;
  const addresses = (): PodAddresses => {
    if (podAddress !== 'topology') return podAddress === undefined ? loopback : [podAddress];
    return current.bootstrap === undefined ? loopback : addressesOfWorkload(current.bootstrap);
  };
  const server = await startStatusServer({
    port: config.statusPort,
    readiness: new Readiness({
      admin: () => current.admin,
      state: () => life.state,
      configProblem: () => current.discovery?.problem,
      identityProblem: () => current.identityProblem?.(),
      blockedWorkers: async (admin, timeoutMs) =>
        // Two questions in the time of one.
        current.bootstrap && blockedWorkers(admin, current.bootstrap, { timeoutMs: timeoutMs / 2 }),
      needsIdentity: () => current.listeners !== undefined && needsOwnCertificate(current.listeners(), config.role),
    }),
    probes,
    addresses,
    metrics: new MergedMetrics({
      admin: () => current.address,
      targets: scrapeTargets,
      // The application may serve its metrics to this pod alone.
      addresses: () => [...new Set([...loopback, ...addresses()])],
      own: metrics ?? (() => Promise.resolve('')),
      observer: observers?.scrape,
      log,
    }),
    actions: actionsOf(requests, current),
    refusalOf: actionCallers(() => current.pid, log),
    log,
  }).catch(async (cause) => {
    const owner = await portOwner(config.statusPort);
    if (owner === undefined) throw cause;
    throw new AgentError('status-bind-failed', `the status port ${config.statusPort} is taken by ${owner}`, { cause });
  });
  return () => server.close();
}

function actionsOf(requests: StopRequests, current: CurrentEnvoy): AgentActions {
  return {
    drain: async () => {
      if (current.drain === undefined) throw new AgentError('admin-unreachable', 'no Envoy is serving');
      await current.drain();
    },
    quit: () => requests.quit('/quitquitquit'),
  };
}

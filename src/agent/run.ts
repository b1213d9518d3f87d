import type { NameTable } from '../dns/name-table.ts';
import { Fragment } from '../envoy/api/fragment.ts';
import type { SecretSnapshot } from '../identity/snapshot.ts';
import { aborted, within } from '../lib/abort.ts';
import { type Change, type PathsWatch, watchPaths } from '../watch/watch.ts';
import { narrowFolder } from '../xds/socket.ts';
import { AgentError } from './agent-error.ts';
import type { AgentParts } from './agent-parts.ts';
import type { CurrentEnvoy } from './current-envoy.ts';
import { compileFirst } from './first-config.ts';
import { keepRunning } from './keep-running.ts';
import { checkAdminPort } from './life/admin-port.ts';
import { endOnCrash } from './life/crash.ts';
import { checkInterception } from './life/interception.ts';
import { boundAddresses, checkListenerPorts } from './life/listener-ports.ts';
import { takeFolderLock } from './life/lock.ts';
import { ServiceNotices } from './life/notify.ts';
import { endOrphan } from './life/orphan.ts';
import { portsInUse } from './life/process-table.ts';
import { AgentLife } from './life/state.ts';
import { tellStopPlan } from './life/stop-plan.ts';
import { StopRequests } from './life/stop-requests.ts';
import { listenerDrainMs } from './life/supervisor.ts';
import { removeLeftovers } from './life/tidy.ts';
import type { Log } from './log/log.ts';
import type { ActiveConfig } from './reload/active-config.ts';
import { ConfigFiles } from './reload/config-files.ts';
import { ChangeBell } from './reload/follow.ts';
import { adminAddressOf } from './reload/proxy-files.ts';
import type { IdentityService } from './secrets/identity-service.ts';
import { serveStatus } from './status/serve-status.ts';

/** How long one thing may take to be undone. */
const cleanupMs = 1_000;

/** How long what was seen of other processes is taken for true. */
const freshMs = 1_000;

/** Things to undo at the end, the last first. */
type Cleanup = (() => void | Promise<void>)[];

/**
 * Runs Envoy with what the compile function gives until it ends or a signal asks for the end, and resolves to the
 * agent's exit code: 0 when asked to stop, 1 when the inputs are invalid, else Envoy's own. Environment errors are thrown,
 * and after Envoy has exited also an uncaught error.
 */
export async function runAgent(parts: AgentParts): Promise<number> {
  const { config, log, observers } = parts;
  const cleanup: Cleanup = [];
  const notices = new ServiceNotices(config.notifySocket, log);
  const life = new AgentLife((state) => {
    log.info('agent', { state });
    observers?.life?.moved(state);
    notices.moved(state);
  });
  const requests = new StopRequests(parts.signals);
  const crash = endOnCrash(parts.signals, requests, log);
  try {
    return await runThrough(parts, { life, requests }, cleanup);
  } finally {
    // Envoy has ended: what hangs (a client that does not let go) must not hold up the end of the agent.
    for (const undo of cleanup.reverse()) await undone(undo, log);
    if (life.state !== 'exited') life.moveTo('exited');
    await notices.sent();
    crash.throwIfCrashed();
  }
}

/** What cannot be undone (a file system that became read-only) is told, and changes no exit code. */
async function undone(undo: Cleanup[number], log: Log): Promise<void> {
  try {
    await within(cleanupMs, Promise.resolve(undo()));
  } catch (error) {
    log.warn('not everything can be cleaned up', { reason: (error as Error).message });
  }
}

interface Lifetime {
  readonly life: AgentLife;
  readonly requests: StopRequests;
}

async function runThrough(parts: AgentParts, { life, requests }: Lifetime, cleanup: Cleanup): Promise<number> {
  const { config, log, signals } = parts;
  life.moveTo('configuring');
  tellStopPlan(config, log);
  // A file system that hangs does not hold up the end that is asked for.
  const locking = takeFolderLock(config.configPath);
  cleanup.push(() =>
    locking.then(
      (lock) => lock.release(),
      () => undefined,
    ),
  );
  await Promise.race([locking, aborted(requests.stop)]);
  if (requests.stop.aborted) return 0;
  // Before the first file is written: a user who can write to the folder could change Envoy's configuration.
  await narrowFolder(config.configPath).catch((cause) => {
    throw new AgentError('sds-bind-failed', 'cannot serve secrets to Envoy', { cause });
  });
  await endOrphan(config.configPath, log);
  await removeLeftovers(config.configPath);
  const current: CurrentEnvoy = {};
  signals.onHangUp(() => {
    parts.reopenLogs?.();
    current.reopenLogs?.();
  });
  await startServers(parts, { life, requests }, current, cleanup);
  // Read beside the rest: of a machine with much memory the kernel takes 10 ms for its table of connections. Not earlier: an
  // orphan's ports would still be in it, and not yet those of the agent itself, or of one that starts at the same time.
  const ports = freshly(portsInUse);
  // Watched before compiling: a change during the first compilation is not missed.
  const change = new ChangeBell();
  const watch = await watchInputs(parts, change);
  cleanup.push(() => watch.close());
  if (config.resyncMs) cleanup.push(change.ringEvery(config.resyncMs));

  // A compilation that takes long, or waits for something, does not hold up the end that is asked for.
  const first = await Promise.race([compileFirst(parts, requests.stop), aborted(requests.stop)]);
  if (requests.stop.aborted) return 0;
  if (first === undefined) return 1;
  // No variable here holds the files: it would keep them as long as the agent runs.
  const { active, inputs } = first;
  current.bootstrap = active.files.bootstrap;
  if (inputs !== undefined) watch.follow(inputs);
  const inUse = await ports();
  await checkAdminPort(adminAddressOf(active.files), inUse);
  await checkListenerPorts(boundAddresses(active.files), inUse?.listening);
  if (parts.readInterception !== undefined) await checkInterception(active.files, parts.readInterception, log);
  const folder = new ConfigFiles(config.configPath);
  await folder.writeAll(active.files, { holdsListeners: !(await parts.envoyCheck.isPassed()) });
  if (requests.stop.aborted) return 0;
  let identity: Promise<IdentityService> | undefined;
  const serveIdentity = (): Promise<IdentityService> => {
    identity ??= startIdentity(parts, active, { current, stop: requests.stop }, cleanup);
    return identity;
  };
  return keepRunning({ ...parts, active, life, requests, folder, serveIdentity, change, watch, current });
}

/** Whatever others ask this process for, whether Envoy runs or not. */
async function startServers(
  parts: AgentParts,
  { life, requests }: Lifetime,
  current: CurrentEnvoy,
  cleanup: Cleanup,
): Promise<void> {
  const { config, log } = parts;
  // The workload's queries may be captured already: they are served before Envoy is, and to the end.
  if (config.dns !== undefined) {
    const { serveAgentDns } = await import('./dns.ts');
    const identity = (): SecretSnapshot | undefined => current.identity;
    const { namespace = '' } = config;
    const table = (): NameTable | undefined => {
      const zone = current.discovery?.names;
      return zone && { zone, namespace };
    };
    const dns = await serveAgentDns(config.dns, { identity, table, log, observer: parts.observers?.dns });
    current.dns = dns;
    cleanup.push(() => dns.close());
  }
  if (config.statusPort > 0) cleanup.push(await serveStatus(parts, life, requests, current));
  else log.warn('without a status port nobody can tell whether the proxy is ready: port 15021 answers 503');
  if (parts.tokenService !== undefined) {
    const { startTokenService } = await import('./token-service.ts');
    cleanup.push(await startTokenService(parts.tokenService, log.scope('stsserver')));
  }
}

/** Notifies of each change of the inputs, on disk or reported by another part of the agent. */
async function watchInputs(
  { config: { debounceMs, debounceMaxMs }, inputs, observers, onNews }: AgentParts,
  change: ChangeBell,
): Promise<PathsWatch> {
  const onChange = ({ files: count, seenAtMs }: Change): void => {
    observers?.reload?.debounced(count);
    change.ring(seenAtMs);
  };
  const watch = await watchPaths(inputs, {
    onChange,
    ...(debounceMs !== undefined && { debounceMs }),
    ...(debounceMaxMs !== undefined && { debounceMaxMs }),
  });
  onNews?.(() => change.ring());
  return watch;
}

/** What is read now, and once more where it is asked for so late that it may have become wrong. */
function freshly<T>(read: () => Promise<T>): () => Promise<T> {
  const readAtMs = performance.now();
  const early = read();
  early.catch(() => undefined);
  return () => (performance.now() - readAtMs < freshMs ? early : read());
}

async function startIdentity(
  parts: AgentParts,
  active: ActiveConfig,
  { current, stop }: { readonly current: CurrentEnvoy; readonly stop: AbortSignal },
  cleanup: Cleanup,
): Promise<IdentityService> {
  const { config, log, observers } = parts;
  const { discovery, outgoing, certificates } = observers ?? {};
  if (parts.discovery !== undefined) {
    // A program that is no good Envoy opens no listener of the mesh. gRPC is a third of the code: it is loaded while Envoy starts.
    await parts.envoyCheck.wait(stop);
    const { DiscoveryClient } = await import('./discovery/discovery-client.ts');
    const { ListenerGuard } = await import('./discovery/listener-guard.ts');
    await import('./secrets/identity-service.ts');
    parts.saveMemory?.();
    const nodeId = new Fragment(active.files.bootstrap).at('node', 'id').text ?? '';
    const wantsNames = config.dns !== undefined && config.dns.isServerNamed !== true;
    const client = await DiscoveryClient.start({
      ...{ configPath: config.configPath, config: { ...parts.discovery, nodeId, wantsNames } },
      ...{ log: log.scope('model'), observer: observers?.configuration },
      guard: new ListenerGuard(listenerDrainMs(config)),
    });
    cleanup.push(() => client.close());
    current.discovery = client;
  }
  const { startIdentityService } = await import('./secrets/identity-service.ts');
  const identity = await startIdentityService({
    ...{ ...config, log: log.scope('sds'), discovery, outgoing, certificates },
    onSnapshot: (snapshot) => {
      current.identity = snapshot;
      current.dns?.renewPair();
      current.discovery?.takeIdentity(snapshot);
    },
  });
  cleanup.push(() => identity.close());
  current.identityProblem = () => identity.problem;
  identity.serveGatewaySecrets(active.files.secrets ?? new Map());
  return identity;
}

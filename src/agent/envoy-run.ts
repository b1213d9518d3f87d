import { type AdminClient, createAdminClient } from '../envoy/admin.ts';
import type { ResourceFile } from '../envoy/api/resource-file.ts';
import type { EnvoyProcess, ExitStatus } from '../envoy/process.ts';
import { aborted, delay } from '../lib/abort.ts';
import type { PathsWatch } from '../watch/watch.ts';
import { AgentError } from './agent-error.ts';
import type { AgentParts } from './agent-parts.ts';
import { threadsOf } from './bootstrap/worker-threads.ts';
import type { CurrentEnvoy } from './current-envoy.ts';
import { followDiscovery } from './discovery/follow-discovery.ts';
import { lackingIdentity } from './first-config.ts';
import { type DrainParts, type RunningDrain, startDrain } from './life/drain.ts';
import { boundAddresses } from './life/listener-ports.ts';
import { forgetEnvoy, recordEnvoy } from './life/orphan.ts';
import { SharedPorts } from './life/shared-ports.ts';
import { terminate } from './life/shutdown.ts';
import type { AgentLife } from './life/state.ts';
import type { StopRequests } from './life/stop-requests.ts';
import { formatExit, listenerDrainMs, startEnvoy } from './life/supervisor.ts';
import type { ActiveConfig } from './reload/active-config.ts';
import type { ConfigFiles } from './reload/config-files.ts';
import { type ChangeBell, follow } from './reload/follow.ts';
import { adminAddressOf } from './reload/proxy-files.ts';
import { Reloader } from './reload/reload.ts';
import type { IdentityService } from './secrets/identity-service.ts';

/** What outlives one Envoy. */
export interface EnvoyRunParts extends AgentParts {
  /** What Envoy is started with; the reloads replace it. */
  readonly active: ActiveConfig;
  readonly life: AgentLife;
  readonly requests: StopRequests;
  readonly folder: ConfigFiles;
  /** Starts the source of Envoy's secrets at the first call, and gives it. */
  readonly serveIdentity: () => Promise<IdentityService>;
  readonly change: ChangeBell;
  readonly watch: PathsWatch;
  readonly current: CurrentEnvoy;
}

/** How one Envoy came to its end. */
export type EnvoyEnd =
  | { readonly isStopped: true }
  | {
      readonly isStopped: false;
      readonly status: ExitStatus;
      readonly wasReady: boolean;
      /** Somebody had begun to drain it: it was about to end. */
      readonly wasDraining: boolean;
      readonly livedMs: number;
    };

/** What one Envoy goes through. */
interface Run {
  readonly envoy: EnvoyProcess;
  readonly startedAt: number;
  /** Fires when Envoy has ended. */
  readonly gone: AbortSignal;
  readonly reloader: Reloader;
  wasReady: boolean;
  drain: RunningDrain | undefined;
  /** Begins the drain, once. */
  beginDrain(form: 'plain' | 'graceful'): RunningDrain;
}

/** `POST /drain` where a stop has no drain: Envoy still has to be asked. */
const shortestDrainMs = 500;

/**
 * Starts an Envoy with the files that lie in the folder, keeps its configuration at what the inputs say, and sees it to
 * its end: its own, or the one that somebody asks for. It never outlives this call, nor this process when that exits.
 * What Envoy needs a while after its start only, its secrets and the leave to run, comes while it starts.
 */
export async function runEnvoy(parts: EnvoyRunParts): Promise<EnvoyEnd> {
  const { active, config, folder, life, log, current, envoyCheck } = parts;
  await envoyCheck.isPassed();
  life.moveTo('starting');
  const address = adminAddressOf(active.files);
  const admin = createAdminClient(address);
  current.admin = admin;
  current.address = address;
  const startedAt = performance.now();
  const concurrency = threadsOf(active.files.concurrency, config.concurrency);
  const envoy = await startEnvoy({ ...config, concurrency }, folder.bootstrapPath, address);
  current.pid = envoy.pid;
  log.info('Envoy started', { pid: envoy.pid });
  envoyCheck.begin();
  const kill = (): void => void envoy.signal('SIGKILL');
  process.once('exit', kill);
  const ended = new AbortController();
  void envoy.exited.then(() => ended.abort());
  try {
    await recordEnvoy(config.configPath, envoy).catch((error: Error) => {
      log.warn('the Envoy cannot be noted for an agent after this one', { reason: error.message });
    });
    const identity = await parts.serveIdentity();
    await envoyCheck.wait(parts.requests.stop).catch((error) => {
      // A program that may not run gets no time for its end.
      kill();
      throw error;
    });
    if (!parts.requests.stop.aborted) await folder.complete();
    return await followEnvoy({ ...parts, identity }, admin, { envoy, startedAt, gone: ended.signal });
  } finally {
    current.admin = undefined;
    current.address = undefined;
    current.drain = undefined;
    current.listeners = undefined;
    current.reopenLogs = undefined;
    if (!ended.signal.aborted) await terminate(envoy, new AbortController().signal, log);
    current.pid = undefined;
    process.off('exit', kill);
    await forgetEnvoy(config.configPath).catch((error: Error) => {
      // The next agent sees for itself that this Envoy is gone.
      log.warn('the note of the Envoy cannot be removed', { reason: error.message });
    });
  }
}

async function followEnvoy(
  parts: EnvoyRunParts & { readonly identity: IdentityService },
  admin: AdminClient,
  { envoy, startedAt, gone }: Pick<Run, 'envoy' | 'startedAt' | 'gone'>,
): Promise<EnvoyEnd> {
  const { active, config, folder, identity, life, log, requests, change, current } = parts;
  const draining = new AbortController();
  const end = AbortSignal.any([gone, requests.stop]);
  // A change that comes during a drain would open new listeners.
  const quit = AbortSignal.any([end, draining.signal]);
  const ports = new SharedPorts(listenerDrainMs(config));
  const reloader = new Reloader(active, {
    ...parts,
    log: log.scope('model'),
    ...(parts.observers?.reload !== undefined && { observer: parts.observers.reload }),
    followInputs: (paths) => parts.watch.follow(paths),
    files: folder,
    admin,
    signal: quit,
    check: (next) => lackingIdentity(config, next),
    findSharedPort: async (before, next) => {
      const [fault] = (await ports.findFaults(boundAddresses(before), boundAddresses(next))).values();
      return fault;
    },
    serveSecrets: (next) => identity.serveGatewaySecrets(next.secrets ?? new Map()),
  });
  const run: Run = {
    ...{ envoy, startedAt, gone, reloader, wasReady: false, drain: undefined },
    beginDrain: (form) => {
      if (run.drain !== undefined) return run.drain;
      life.moveTo('draining');
      draining.abort();
      run.drain = startDrain(drainParts(parts, run, admin), form);
      return run.drain;
    },
  };
  const onFirstInForce = (): void => {
    if (quit.aborted) return;
    run.wasReady = true;
    active.acceptFirst();
    life.moveTo('running');
    current.drain = () => drainOnly(run);
    current.listeners = () => listenersOf(current, reloader);
    current.reopenLogs = () => void envoy.signal('SIGUSR1');
  };
  const heard = { admin, log: log.scope('model'), quit, onFirstInForce };
  const client = current.discovery;
  const following =
    client === undefined
      ? follow({ ...heard, reloader, change })
      : followDiscovery({ ...heard, client, readInterception: parts.readInterception });
  // It fails only by a bug or with the world: that ends the agent, and Envoy with it.
  await Promise.race([aborted(end), following.then(() => aborted(end))]);
  const how = await endOf(run, parts);
  // A compilation that is still busy gets a moment to end, but does not hold up the end that was asked for.
  await Promise.race([following, aborted(requests.stop).then(() => delay(500))]);
  return how;
}

function drainParts(parts: EnvoyRunParts, { gone, reloader }: Run, admin: AdminClient): DrainParts {
  const terminationDrainMs = Math.max(shortestDrainMs, parts.config.terminationDrainMs);
  return {
    ...{ admin, config: { ...parts.config, terminationDrainMs }, log: parts.log },
    gone: AbortSignal.any([gone, parts.requests.hurry]),
    listeners: () => listenersOf(parts.current, reloader),
    onEnd: (ms: number) => parts.observers?.life?.drained(ms),
  };
}

/** The listeners that Envoy was told last. */
function listenersOf({ discovery }: CurrentEnvoy, { current }: Reloader): ResourceFile {
  return discovery === undefined ? current.listeners : discovery.listeners();
}

/** `POST /drain`: in the graceful form, whatever the form of a stop is, because whoever asks this way has time. */
async function drainOnly(run: Run): Promise<void> {
  if (run.gone.aborted) throw new AgentError('admin-unreachable', 'Envoy has ended');
  const { isTaken } = run.beginDrain('graceful');
  if (!(await isTaken)) throw new AgentError('admin-unreachable', 'Envoy could not be asked to drain');
}

/** Sees Envoy to its end after it ended by itself, or after somebody asked for it. */
async function endOf(run: Run, { config, life, log, requests }: EnvoyRunParts): Promise<EnvoyEnd> {
  const { envoy, gone, wasReady } = run;
  if (!requests.stop.aborted || gone.aborted) {
    const status = await envoy.exited;
    log.error('Envoy has ended by itself', { status: formatExit(status) });
    // Nobody else sends it as a rule, and the kernel says nothing to the container.
    if (status.signal === 'SIGKILL')
      log.warn('was it killed for want of memory? See the memory limit of the container');
    if (status.code === 0) log.warn(unaskedEnd(config.statusPort));
    const livedMs = performance.now() - run.startedAt;
    const wasDraining = run.drain !== undefined;
    return { isStopped: false, status, wasReady, wasDraining, livedMs };
  }
  log.info('asked to stop', { signal: String(requests.stop.reason) });
  if (run.drain === undefined && wasReady && config.terminationDrainMs > 0 && !requests.hurry.aborted) {
    run.beginDrain(config.terminationDrain);
  }
  // A drain that began earlier is not done again, but what is left of its time is waited for.
  if (run.drain !== undefined) await Promise.race([run.drain.ended, aborted(requests.hurry)]);
  life.moveTo('stopping');
  const status = await terminate(envoy, requests.kill, log);
  log.info('Envoy has ended', { status: formatExit(status) });
  return { isStopped: true };
}

/** What is said of an Envoy that ended in good order, though nobody had asked the agent. */
function unaskedEnd(statusPort: number): string {
  const ways = [
    ...(statusPort > 0 ? [`POST /quitquitquit to the status port, ${statusPort}`] : []),
    'SIGTERM to the agent',
  ];
  return `somebody told Envoy itself to end, past the agent, which takes that for a failure: the agent ends with 1, or starts it again; to end both with 0: ${ways.join(', or ')}`;
}

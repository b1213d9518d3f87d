import { type AdminClient, createAdminClient } from '../envoy/admin.ts';
import type { EnvoyProcess } from '../envoy/process.ts';
import { staticForm } from '../envoy/static-form.ts';
import { type Watch, watchPaths } from '../identity/watch.ts';
import type { AgentConfig } from './agent-config.ts';
import { AgentError } from './agent-error.ts';
import { drain } from './life/drain.ts';
import { takeFolderLock } from './life/lock.ts';
import { terminate } from './life/shutdown.ts';
import { aborted, type StopSignals } from './life/signals.ts';
import { AgentLife } from './life/state.ts';
import { agentExitCode, formatExit, startEnvoy } from './life/supervisor.ts';
import type { Log } from './log/log.ts';
import type { AgentObservers } from './metrics/observers.ts';
import { ConfigFiles } from './reload/config-files.ts';
import { ChangeBell, follow } from './reload/follow.ts';
import { adminAddressOf, type CompileProxy, type ProxyFiles, partsOf, usesMeshSecrets } from './reload/proxy-files.ts';
import { Reloader, type ValidateConfig } from './reload/reload.ts';
import { startIdentityService } from './secrets/identity-service.ts';
import { Readiness } from './status/readiness.ts';
import { startStatusServer } from './status/status-server.ts';

/** What the agent is handed: it knows nothing of the compiler, the command line or the process it runs in. */
export interface AgentParts {
  readonly config: AgentConfig;
  readonly compile: CompileProxy;
  readonly validate: ValidateConfig;
  /** Files and folders whose change calls for compiling again. */
  readonly inputs: readonly string[];
  /** Tells of whatever else calls for compiling again: keys that were fetched. */
  readonly onNews?: (listener: () => void) => void;
  /** What `/stats/prometheus` of the status port answers; nothing is there when absent. */
  readonly metrics?: () => Promise<string>;
  /** Hear of what the agent does; metrics are made of it. */
  readonly observers?: AgentObservers;
  readonly signals: StopSignals;
  readonly log: Log;
}

/** Things to undo at the end, the last first. */
type Cleanup = (() => void | Promise<void>)[];

/**
 * Runs Envoy with what the compile function gives until it ends or a signal asks for the end, and resolves to the
 * agent's exit code: 0 when asked to stop, 1 when the inputs are invalid, else Envoy's own. World failures are thrown.
 */
export async function runAgent(parts: AgentParts): Promise<number> {
  const cleanup: Cleanup = [];
  const life = new AgentLife((state) => parts.log.info('agent', { state }));
  try {
    return await runThrough(parts, life, cleanup);
  } finally {
    for (const undo of cleanup.reverse()) await undo();
    if (life.state !== 'exited') life.moveTo('exited');
  }
}

async function runThrough(parts: AgentParts, life: AgentLife, cleanup: Cleanup): Promise<number> {
  const { config, log, signals } = parts;
  life.moveTo('configuring');
  const lock = await takeFolderLock(config.configPath);
  cleanup.push(() => lock.release());
  let admin: AdminClient | undefined;
  if (config.statusPort > 0) {
    const status = await startStatusServer(
      config.statusPort,
      new Readiness(
        () => admin,
        () => life.state,
      ),
      log,
      parts.metrics,
    );
    cleanup.push(() => status.close());
  }
  // Watched before compiling: a change during the first compilation is not missed.
  const change = new ChangeBell();
  const watch: Watch = await watchPaths(parts.inputs, { onChange: () => change.ring() });
  cleanup.push(() => watch.close());
  parts.onNews?.(() => change.ring());

  const files = await compileFirst(parts);
  if (files === undefined) return 1;
  if (signals.stop.aborted) return 0;
  const identity = await startIdentityService(
    config.configPath,
    config.identityFolder,
    log,
    parts.observers?.discovery,
  );
  cleanup.push(() => identity.close());
  const noSecrets = new Map();
  identity.serveGatewaySecrets(files.secrets ?? noSecrets);
  const folder = new ConfigFiles(config.configPath);
  await folder.writeAll(files);
  if (signals.stop.aborted) return 0;

  life.moveTo('starting');
  const address = adminAddressOf(files);
  admin = createAdminClient(address);
  const envoy = await startEnvoy(config, folder.bootstrapPath, address);
  log.info('Envoy started', { pid: envoy.pid });
  const ended = new AbortController();
  void envoy.exited.then(() => ended.abort());
  cleanup.push(leaveNoOrphan(envoy, ended.signal, log));
  const quit = AbortSignal.any([ended.signal, signals.stop]);
  const reloader = new Reloader(files, {
    ...parts,
    files: folder,
    admin,
    signal: quit,
    check: (next) => lackingIdentity(config, next),
    serveSecrets: (next) => identity.serveGatewaySecrets(next.secrets ?? noSecrets),
  });
  const onFirstInForce = (): void => {
    if (!quit.aborted) life.moveTo('running');
  };
  const following = follow({ reloader, admin, log, quit, change, onFirstInForce });
  // `following` ends by itself only when it fails: that ends the agent, and the cleanup ends Envoy.
  await Promise.race([aborted(quit), following]);
  const code = await end(parts, life, envoy, admin, ended);
  await following;
  return code;
}

async function compileFirst({ compile, validate, config, log }: AgentParts): Promise<ProxyFiles | undefined> {
  const result = await compile();
  if ('problems' in result) {
    log.error(`the configuration is invalid, Envoy is not started:\n${result.problems.join('\n')}`);
    return undefined;
  }
  for (const warning of result.warnings) log.warn(warning);
  const lacking = lackingIdentity(config, result.files);
  if (lacking !== undefined) throw new AgentError('cert-unreadable', lacking);
  if (!config.mustValidateFirst) return result.files;
  const validated = await validate(staticForm(partsOf(result.files)));
  if (validated.ok) return result.files;
  log.error(`the template's configuration is refused by Envoy, which is not started: ${validated.message}`);
  return undefined;
}

/** Why `files` cannot come into force without an identity; undefined when they can. */
function lackingIdentity({ identityFolder }: AgentConfig, files: ProxyFiles): string | undefined {
  if (identityFolder !== undefined || !usesMeshSecrets(files)) return undefined;
  return 'the configuration needs the workload certificate; name the folder that holds it with PROV_CERT';
}

/** Ends Envoy when the agent ends by a failure, in order or at once; gives what is to be done in order. */
function leaveNoOrphan(envoy: EnvoyProcess, ended: AbortSignal, log: Log): () => Promise<void> {
  const kill = (): void => void envoy.signal('SIGKILL');
  process.once('exit', kill);
  return async () => {
    if (!ended.aborted) await terminate(envoy, new AbortController().signal, log);
    process.off('exit', kill);
  };
}

/** From Envoy's exit, or from the first signal, to the agent's exit code. */
async function end(
  { config, signals, log }: AgentParts,
  life: AgentLife,
  envoy: EnvoyProcess,
  admin: AdminClient,
  ended: AbortController,
): Promise<number> {
  const wasReady = life.state === 'running';
  if (signals.stop.aborted && !ended.signal.aborted) {
    log.info('asked to stop', { signal: String(signals.stop.reason) });
    if (wasReady) {
      life.moveTo('draining');
      await drain(admin, config, AbortSignal.any([ended.signal, signals.hurry]), log);
    }
    life.moveTo('stopping');
    const status = await terminate(envoy, signals.kill, log);
    log.info('Envoy has ended', { status: formatExit(status) });
    return 0;
  }
  const status = await envoy.exited;
  log.error('Envoy has ended by itself', { status: formatExit(status) });
  return agentExitCode(status, wasReady);
}

import { readFile } from 'node:fs/promises';
import type { AdminAddress } from '../../envoy/admin.ts';
import { type EnvoyProcess, type ExitStatus, exitCode, spawnEnvoy } from '../../envoy/process.ts';
import type { AgentConfig } from '../agent-config.ts';
import { AgentError } from '../agent-error.ts';
import { envoyLogFormat, envoyZone } from '../log/envoy-log-format.ts';

/** Starts Envoy in a process group of its own, so that a terminal's Ctrl-C reaches the agent alone. */
export async function startEnvoy(
  config: AgentConfig,
  bootstrapPath: string,
  admin: AdminAddress,
): Promise<EnvoyProcess> {
  const bootstrap = await readFile(bootstrapPath, 'utf8');
  const logFormat = envoyLogFormat(config.logsAsJson === true, bootstrap);
  const args = envoyArguments(config, bootstrapPath, admin, logFormat);
  try {
    return await spawnEnvoy({ binary: config.envoyBinary, args, env: { ...process.env, ...envoyZone } });
  } catch (cause) {
    throw new AgentError('envoy-not-found', `cannot start Envoy "${config.envoyBinary}"`, { cause });
  }
}

/** Envoy's command line (envoyproxy.io, operations/cli). */
export function envoyArguments(
  config: AgentConfig,
  bootstrapPath: string,
  admin: AdminAddress,
  logFormat?: string,
): readonly string[] {
  // A connection that drains must outlive the wait at the end, else Envoy cuts it in the middle.
  const drainMs = Math.max(config.drainDurationMs, config.terminationDrainMs);
  return [
    ...['-c', bootstrapPath],
    ...['--drain-time-s', String(Math.ceil(drainMs / 1000))],
    ...['--drain-strategy', 'immediate'],
    ...['--local-address-ip-version', 'host' in admin && admin.host?.includes(':') ? 'v6' : 'v4'],
    ...['--file-flush-interval-msec', '1000'],
    '--disable-hot-restart',
    ...(logFormat === undefined ? [] : ['--log-format', logFormat]),
    ...(config.proxyLogLevel === '' ? [] : ['-l', config.proxyLogLevel]),
    ...(config.proxyComponentLogLevel === '' ? [] : ['--component-log-level', config.proxyComponentLogLevel]),
    // An explicit 0 would mean one thread, where leaving it out means one a processor.
    ...(config.concurrency ? ['--concurrency', String(config.concurrency)] : []),
  ];
}

/**
 * The agent's exit code when Envoy ended by itself; never 0, with which the agent says that it was asked to end: a
 * platform that restarts what failed would leave a workload without its proxy.
 */
export function agentExitCode(status: ExitStatus): number {
  return exitCode(status) || 1;
}

/** For people: `exit code 1`, `signal SIGKILL`. */
export function formatExit({ code, signal }: ExitStatus): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

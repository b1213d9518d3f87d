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
  return [
    ...['-c', bootstrapPath],
    ...['--drain-time-s', String(Math.ceil(listenerDrainMs(config) / 1000))],
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

/** How long a listener that was removed drains: its connections must outlive the wait at the end, else Envoy cuts them. */
export function listenerDrainMs({
  drainDurationMs,
  terminationDrainMs,
}: Pick<AgentConfig, 'drainDurationMs' | 'terminationDrainMs'>): number {
  return Math.max(drainDurationMs, terminationDrainMs);
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

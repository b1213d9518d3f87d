import { serveTokens, type TokenServerOptions } from '../sts/serve-tokens.ts';
import { AgentError } from './agent-error.ts';
import { portOwner } from './life/process-table.ts';
import type { Log } from './log/log.ts';

/** Serves tokens on loopback for this agent's life; gives what ends it. */
export async function startTokenService(
  options: Pick<TokenServerOptions, 'host' | 'port' | 'manager' | 'clock'>,
  log: Log,
): Promise<() => Promise<void>> {
  const { host, port, manager } = options;
  let told: string | undefined;
  const server = await serveTokens({
    ...options,
    onRefused: (reason) => log.debug('a request for a token is refused', { reason }),
    onFailed: (reason) => {
      // A client that tries again and again says nothing new.
      log[told === reason ? 'debug' : 'warn']('no token is granted', { reason });
      told = reason;
    },
    onGranted: () => {
      told = undefined;
    },
  }).catch(async (cause) => {
    const owner = await portOwner(port);
    const message =
      owner === undefined ? `cannot serve tokens on port ${port}` : `the token port ${port} is taken by ${owner}`;
    throw new AgentError('sts-bind-failed', message, { cause });
  });
  log.info('token service', { host, port: server.port });
  if (manager === undefined) log.warn('the token service has no plug-in: every request for a token fails');
  return () => server.close();
}

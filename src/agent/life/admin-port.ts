import { createServer } from 'node:net';
import type { AdminAddress } from '../../envoy/admin.ts';
import { AgentError } from '../agent-error.ts';
import { portOwner } from './process-table.ts';

/**
 * Throws when somebody has the port of Envoy's admin interface: Envoy itself would end with a line in its log that names
 * neither the setting nor the owner, and the agent would ask a stranger for Envoy's state.
 */
export async function checkAdminPort(address: AdminAddress): Promise<void> {
  if (!('port' in address) || address.port === 0) return;
  const code = await bindFailure(address.port, address.host);
  if (code === undefined) return;
  const place = `${address.host ?? '127.0.0.1'}:${address.port}`;
  if (code !== 'EADDRINUSE')
    throw new AgentError('admin-bind-failed', `Envoy's admin cannot listen on ${place} (${code})`);
  const owner = (await portOwner(address.port)) ?? 'another process';
  throw new AgentError(
    'admin-bind-failed',
    `the port of Envoy's admin, ${place}, is taken by ${owner}; proxyAdminPort of the proxy configuration names another`,
  );
}

/** The system's code for why nobody can listen there now; undefined when one can. */
function bindFailure(port: number, host = '127.0.0.1'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

import type { AdminAddress } from '../../envoy/admin.ts';
import { AgentError } from '../agent-error.ts';
import { bindFailure } from './bind-failure.ts';
import { type PortsInUse, portOwner } from './process-table.ts';

/** Below, only some users may listen (ip(7), `ip_unprivileged_port_start`). */
const firstPortForAll = 1024;

/**
 * Throws when somebody has the port of Envoy's admin interface: Envoy itself would end with a line in its log that names
 * neither the setting nor the owner, and the agent would ask a stranger for Envoy's state. `ports` are those in use, undefined
 * if that is not known: a free port of loopback, which everybody may have, is not tried, because Node loads much for that.
 */
export async function checkAdminPort(address: AdminAddress, ports: PortsInUse | undefined): Promise<void> {
  if (!('port' in address) || address.port === 0) return;
  const { host = '127.0.0.1', port } = address;
  if (host === '127.0.0.1' && port >= firstPortForAll && ports?.taken.has(port) === false) return;
  const code = await bindFailure({ host, port });
  if (code === undefined) return;
  const place = `${host}:${port}`;
  if (code !== 'EADDRINUSE')
    throw new AgentError('admin-bind-failed', `Envoy's admin cannot listen on ${place} (${code})`);
  const owner = (await portOwner(port)) ?? 'another process';
  throw new AgentError(
    'admin-bind-failed',
    `the port of Envoy's admin, ${place}, is taken by ${owner}; proxyAdminPort of the ProxyConfig names another`,
  );
}

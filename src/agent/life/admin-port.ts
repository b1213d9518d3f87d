import { readFileSync } from 'node:fs';
import type { AdminAddress } from '../../envoy/admin.ts';
import { AgentError } from '../agent-error.ts';
import { bindFailure } from './bind-failure.ts';
import { type PortsInUse, portOwner } from './process-table.ts';

/** From which port on every user may listen (ip(7)). */
const portStart = '/proc/sys/net/ipv4/ip_unprivileged_port_start';

const lastPort = 65_535;

/**
 * Throws when somebody has the port of Envoy's admin interface: Envoy itself would end with a line in its log that names
 * neither the setting nor the owner, and the agent would ask a stranger for Envoy's state. `ports` are those in use, undefined
 * if that is not known: a free port of loopback, which everybody may have, is not tried, because Node loads much for that.
 * `startFile` says from which port on everybody may.
 */
export async function checkAdminPort(
  address: AdminAddress,
  ports: PortsInUse | undefined,
  startFile = portStart,
): Promise<void> {
  if (!('port' in address) || address.port === 0) return;
  const { host = '127.0.0.1', port } = address;
  if (host === '127.0.0.1' && ports?.taken.has(port) === false && isForAll(port, startFile)) return;
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

/** Whether every user may listen there. */
function isForAll(port: number, startFile: string): boolean {
  return port >= firstPortForAll(startFile) && port <= lastPort;
}

/** What the kernel says, and its default where it does not say. */
function firstPortForAll(startFile: string): number {
  try {
    const [first] = /^\d+/.exec(readFileSync(startFile, 'utf8')) ?? [];
    return Number(first ?? 1024);
  } catch {
    return 1024;
  }
}

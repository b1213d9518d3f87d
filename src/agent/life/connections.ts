import type { AdminClient, AdminOptions } from '../../envoy/admin.ts';

interface ListenerAddress {
  readonly socket_address?: { readonly address: string; readonly port_value?: number };
}

interface ListenerResource {
  readonly stat_prefix?: string;
  readonly address?: ListenerAddress;
}

/**
 * Names under `listener.` in Envoy's statistics of the listeners of a DiscoveryResponse (Envoy, listener stats): the
 * address with `_` for `:`. Only these carry the workload's traffic; readiness, metrics and admin have listeners of the
 * bootstrap.
 */
export function listenerStatNames(listeners: string): ReadonlySet<string> {
  const { resources } = JSON.parse(listeners) as { readonly resources: readonly ListenerResource[] };
  return new Set(resources.flatMap(({ stat_prefix: prefix, address }) => prefix || statAddress(address) || []));
}

function statAddress(address: ListenerAddress | undefined): string | undefined {
  const socket = address?.socket_address;
  if (socket === undefined) return undefined;
  const host = socket.address.includes(':') ? `[${socket.address}]` : socket.address;
  return `${host}:${socket.port_value ?? 0}`.replaceAll(':', '_');
}

const suffix = '.downstream_cx_active';

/**
 * Connections that clients have open at the listeners `names`; undefined when Envoy shows none of these listeners, which
 * says nothing about their connections. Throws `AdminUnreachableError`.
 */
export async function readOpenConnections(
  admin: AdminClient,
  names: ReadonlySet<string>,
  options?: AdminOptions,
): Promise<number | undefined> {
  const filter = encodeURIComponent(`^listener\\..*\\${suffix}$`);
  const { status, body } = await admin.get(`/stats?filter=${filter}`, options);
  if (status !== 200) return undefined;
  const open = body.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^listener\.(.*)\.downstream_cx_active: (\d+)$/.exec(line) ?? [];
    return names.has(name) ? [Number(value)] : [];
  });
  return open.length === 0 ? undefined : open.reduce((sum, count) => sum + count, 0);
}

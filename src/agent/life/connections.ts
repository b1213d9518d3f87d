import type { AdminClient, AdminOptions } from '../../envoy/admin.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import type { ResourceFile } from '../../envoy/api/resource-file.ts';

/**
 * Names under `listener.` in Envoy's statistics of these listeners (Envoy, listener stats): the address with `_` for `:`.
 * Only these carry the workload's traffic; readiness, metrics and admin have listeners of the bootstrap.
 */
export function listenerStatNames({ resources }: ResourceFile): ReadonlySet<string> {
  return new Set(
    resources.flatMap(({ json }) => {
      const listener = new Fragment(json);
      return listener.at('stat_prefix').text || statAddress(listener.at('address', 'socket_address')) || [];
    }),
  );
}

function statAddress(socket: Fragment): string | undefined {
  const address = socket.at('address').text;
  if (address === undefined) return undefined;
  const host = address.includes(':') ? `[${address}]` : address;
  return `${host}:${socket.at('port_value').number ?? 0}`.replaceAll(':', '_');
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

import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { StandardTlsRoute } from '../../policy/gateway-api.ts';
import type { Attachment } from './attachment.ts';
import type { ServedListener } from './listeners.ts';
import { byAgeOfRoute } from './precedence.ts';

/**
 * The attachments with the server names that no older route has at the same listener, without those that have none left.
 * Names that are taken are reported.
 */
export function withFreeNames(
  attachments: readonly Attachment<StandardTlsRoute>[],
  bag: DiagnosticBag,
): readonly Attachment<StandardTlsRoute>[] {
  const owners = new Map<ServedListener, Map<string, StandardTlsRoute>>();
  return attachments
    .toSorted((a, b) => byAgeOfRoute(a.route, b.route))
    .flatMap((attachment) => {
      const { route, listener, hosts } = attachment;
      const taken = owners.get(listener) ?? new Map<string, StandardTlsRoute>();
      owners.set(listener, taken);
      const free = hosts.filter((host) => {
        const older = taken.get(host);
        if (older === undefined) taken.set(host, route);
        else reportTaken(attachment, host, older, bag);
        return older === undefined;
      });
      return free.length === 0 ? [] : [{ ...attachment, hosts: free }];
    });
}

function reportTaken(
  { route, listener: { listener } }: Attachment<StandardTlsRoute>,
  host: string,
  older: StandardTlsRoute,
  bag: DiagnosticBag,
): void {
  const holes = { name: nameOf(route), host, listener: listener.name, other: nameOf(older) };
  bag.report('server-name-taken', route.document.spanOf(['spec', 'hostnames']), holes);
}

function nameOf({ namespace, name }: StandardTlsRoute): string {
  return `${namespace}/${name}`;
}

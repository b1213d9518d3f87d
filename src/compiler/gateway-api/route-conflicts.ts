import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { RequestRoute } from '../../policy/gateway-api.ts';
import { intersect } from '../topology/host.ts';
import type { Attachment } from './attachment.ts';
import { byAgeOfRoute } from './precedence.ts';

/**
 * The attachments without those of routes that have a host name in common with an older route of another kind at the same
 * listener: who serves such a host is of one kind. Those left out are reported.
 */
export function withoutConflicts(
  attachments: readonly Attachment<RequestRoute>[],
  bag: DiagnosticBag,
): readonly Attachment<RequestRoute>[] {
  if (new Set(attachments.map(({ route }) => route.kind)).size < 2) return attachments;
  const kept: Attachment<RequestRoute>[] = [];
  for (const attachment of attachments.toSorted((a, b) => byAgeOfRoute(a.route, b.route))) {
    const { route, listener, hosts } = attachment;
    const older = kept.find(
      (it) => it.listener === listener && it.route.kind !== route.kind && intersect(hosts, it.hosts).length > 0,
    );
    if (older === undefined) kept.push(attachment);
    else reportConflict(attachment, older.route, bag);
  }
  const stays = new Set(kept);
  return attachments.filter((attachment) => stays.has(attachment));
}

function reportConflict(
  { route, listener: { gateway, listener } }: Attachment<RequestRoute>,
  older: RequestRoute,
  bag: DiagnosticBag,
): void {
  const why = `at listener "${listener.name}", ${older.kind} "${older.namespace}/${older.name}" has a host name in common with it`;
  const field = route.spec.hostnames === undefined ? 'parentRefs' : 'hostnames';
  const holes = { kind: route.kind, name: `${route.namespace}/${route.name}`, why };
  bag.report('route-not-attached', route.document.spanOf(['spec', field]), {
    ...holes,
    gateway: `${gateway.namespace}/${gateway.name}`,
  });
}

import { append } from '../../lib/append.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { Service } from '../../policy/topology-kinds.ts';
import type { ServiceAlias } from './model.ts';
import type { ServiceDraft } from './services.ts';
import { isVisible } from './visibility.ts';

/**
 * The services with their other names: one of type ExternalName is an alias where a service of its namespace's view has
 * the host that it leads to, perhaps through further aliases. Then it has no cluster and no rules of its own; what it
 * leads to keeps its protection. Others stay: DNS knows their hosts.
 */
export function joinAliases(drafts: readonly ServiceDraft[]): ServiceDraft[] {
  const byHost = new Map<string, ServiceDraft[]>();
  for (const draft of drafts) append(byHost, draft.service.host, draft);
  const aliases = new Map<ServiceDraft, ServiceAlias[]>();
  const joined = new Set<ServiceDraft>();
  for (const draft of drafts) {
    const target = targetOf(draft, byHost);
    if (target === undefined) continue;
    const { host, name, namespace, exportTo } = draft.service;
    append(aliases, target, { host, name, namespace, exportTo });
    joined.add(draft);
  }
  return drafts.flatMap((draft) => {
    if (joined.has(draft)) return [];
    const own = aliases.get(draft);
    if (own === undefined) return [draft];
    const sorted = sortedBy(
      own,
      ({ host }) => host,
      ({ namespace }) => namespace,
    );
    return [{ ...draft, service: { ...draft.service, aliases: sorted } }];
  });
}

/** Undefined for a service that is no alias, whose target is not declared, or whose aliases form a cycle. */
function targetOf(draft: ServiceDraft, byHost: ReadonlyMap<string, readonly ServiceDraft[]>): ServiceDraft | undefined {
  const { namespace } = draft.service;
  const seen = new Set<ServiceDraft>([draft]);
  for (let at = draft; ; ) {
    const host = externalNameOf(at);
    if (host === undefined) return at === draft ? undefined : at;
    const known = (byHost.get(host) ?? []).filter(({ service }) =>
      isVisible(service.exportTo, service.namespace, namespace),
    );
    // An entry of a namespace that neither asks nor was named on the way takes no traffic of a service of that name.
    const next =
      known.find(({ service }) => service.namespace === namespace) ??
      known.find(({ service }) => service.namespace === at.service.namespace || service.object.kind === 'Service');
    if (next === undefined) return at === draft ? undefined : at;
    if (seen.has(next)) return undefined;
    seen.add(next);
    at = next;
  }
}

function externalNameOf({ service: { object } }: ServiceDraft): string | undefined {
  if (object.kind !== 'Service') return undefined;
  const { type, externalName } = (object as Service).spec;
  return type === 'ExternalName' ? externalName?.toLowerCase().replace(/\.$/, '') : undefined;
}

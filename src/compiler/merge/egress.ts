import type { Sidecar } from '../../policy/sidecar.ts';
import { isWildcard, matches, resolveShortName, subsetOf } from '../topology/host.ts';
import type { Service } from '../topology/model.ts';
import { isVisible } from '../topology/visibility.ts';
import type { EffectiveVirtualService } from './effective-virtual-service.ts';

/** Services that a client imports. */
export interface EgressListener {
  readonly hosts: readonly EgressHost[];
}

/** Hosts of one namespace, or of all. */
export interface EgressHost {
  /** `*` is every namespace. */
  readonly namespace: string;
  /** In lower case; a name, or a wildcard. */
  readonly host: string;
}

/** The `egress` of a Sidecar as clients of a namespace mean it; equal meanings have equal forms. */
export function egressListeners(egress: NonNullable<Sidecar['spec']['egress']>, namespace: string): EgressListener[] {
  return egress.map(({ hosts }) => ({ hosts: egressHosts(hosts, namespace) }));
}

/** Whether a listener imports a service, by its own name or one of its aliases that the client sees. */
export function importsService({ hosts }: EgressListener, service: Service, client: string): boolean {
  const names = service.aliases.filter((alias) => isVisible(alias.exportTo, alias.namespace, client));
  return [service, ...names].some((named) =>
    hosts.some(({ namespace, host }) => isOf(namespace, named.namespace) && subsetOf(named.host, host)),
  );
}

/** Whether a listener imports the routes of a VirtualService: those of its namespace for a host that it names. */
export function importsRoutes({ hosts }: EgressListener, routes: EffectiveVirtualService, domain: string): boolean {
  const names = (routes.spec.hosts ?? []).map((host) => resolveShortName(host, routes.namespace, domain));
  return hosts.some(
    ({ namespace, host }) => isOf(namespace, routes.namespace) && names.some((name) => matches(name, host)),
  );
}

/** Without what another entry covers, sorted; `~` imports nothing. */
function egressHosts(hosts: readonly string[], client: string): readonly EgressHost[] {
  const all = hosts.flatMap((text): EgressHost[] => {
    const [namespace = '', host = ''] = text.toLowerCase().split('/');
    return namespace === '~' ? [] : [{ namespace: namespace === '.' ? client : namespace, host }];
  });
  const keyOf = ({ namespace, host }: EgressHost): string => `${namespace}/${host}`;
  const unique = new Map(all.map((entry) => [keyOf(entry), entry]));
  const isCovered = (entry: EgressHost): boolean =>
    all.some(
      (other) =>
        keyOf(other) !== keyOf(entry) &&
        isOf(other.namespace, entry.namespace) &&
        isWildcard(other.host) &&
        subsetOf(entry.host, other.host),
    );
  return [...unique.keys()].sort().flatMap((key) => {
    const entry = unique.get(key);
    return entry === undefined || isCovered(entry) ? [] : [entry];
  });
}

function isOf(wanted: string, namespace: string): boolean {
  return wanted === '*' || wanted === namespace;
}

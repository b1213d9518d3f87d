import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import {
  type AttachedRoute,
  type Listener,
  type ParentRef,
  routeKinds,
  type StandardGateway,
} from '../../policy/gateway-api.ts';
import type { Namespace } from '../../policy/topology-kinds.ts';
import { compareSpecificity, intersect, mostSpecific } from '../topology/host.ts';
import { selectsLabels } from '../topology/label-selector.ts';
import type { ServedListener } from './listeners.ts';

/** A listener with the hosts for which it serves a route. */
export interface Attachment<Route> {
  readonly route: Route;
  readonly listener: ServedListener;
  /** In lower case; `*` for every one. */
  readonly hosts: readonly string[];
}

export interface AttachmentContext {
  readonly gateways: readonly StandardGateway[];
  readonly listeners: readonly ServedListener[];
  readonly namespaces: readonly Namespace[];
}

/** Which listeners serve which routes, and for which hosts. A reference that leads to no listener is reported. */
export function attach<Route extends AttachedRoute<string, unknown>>(
  routes: readonly Route[],
  context: AttachmentContext,
  bag: DiagnosticBag,
): readonly Attachment<Route>[] {
  return routes.flatMap((route) => {
    const found = new Map<ServedListener, Attachment<Route>>();
    for (const [i, parent] of route.spec.parentRefs.entries()) {
      const { attachments, why, isUnseen = false } = attachTo(route, parent, context);
      for (const attachment of attachments) found.set(attachment.listener, attachment);
      if (attachments.length > 0 || why === undefined) continue;
      const gateway = `${parent.namespace ?? route.namespace}/${parent.name}`;
      const holes = { kind: route.kind, name: `${route.namespace}/${route.name}`, gateway, why };
      bag.report('route-not-attached', route.document.spanOf(['spec', 'parentRefs', i]), holes, { isUnseen });
    }
    return [...found.values()];
  });
}

/** The label that each namespace has. */
const nameLabel = 'kubernetes.io/metadata.name';

interface Attached<Route> {
  readonly attachments: readonly Attachment<Route>[];
  /** Why there is none; undefined where that was said of the Gateway. */
  readonly why?: string;
  readonly isUnseen?: boolean;
}

function attachTo<Route extends AttachedRoute<string, unknown>>(
  route: Route,
  { namespace = route.namespace, name, sectionName, port }: ParentRef,
  { gateways, listeners, namespaces }: AttachmentContext,
): Attached<Route> {
  const gateway = gateways.find((it) => it.namespace === namespace && it.name === name);
  if (gateway === undefined) {
    const isUnseen = !gateways.some((it) => it.namespace === namespace);
    return { attachments: [], why: 'there is no such Gateway', isUnseen };
  }
  const own = listeners.filter((it) => it.gateway === gateway);
  if (own.length === 0) return { attachments: [] };
  const named = own.filter(
    ({ listener }) => (sectionName ?? listener.name) === listener.name && (port ?? listener.port) === listener.port,
  );
  if (named.length === 0) return { attachments: [], why: 'it has no listener of that name and port' };
  const allowing = named.filter(({ listener }) => allowsKind(listener, route.kind));
  if (allowing.length === 0) return { attachments: [], why: `its listeners allow no ${route.kind}` };
  const open = allowing.filter((it) => allowsNamespace(it, route.namespace, namespaces));
  if (open.length === 0) {
    if (allowing.some((it) => asksUnknownLabels(it, route.namespace, namespaces)))
      return {
        attachments: [],
        why: `the input has no Namespace "${route.namespace}", whose labels decide`,
        isUnseen: true,
      };
    return { attachments: [], why: `its listeners allow no routes of namespace "${route.namespace}" (allowedRoutes)` };
  }
  const attachments = open.flatMap((listener) => {
    const hosts = servedHosts(route, listener, own);
    return hosts.length === 0 ? [] : [{ route, listener, hosts }];
  });
  return { attachments, why: 'its listeners serve none of the host names' };
}

function allowsKind({ protocol, allowedRoutes: { kinds = [] } = {} }: Listener, kind: string): boolean {
  return routeKinds[protocol].includes(kind) && (kinds.length === 0 || kinds.some((it) => it.kind === kind));
}

function allowsNamespace(
  { gateway, listener }: ServedListener,
  namespace: string,
  namespaces: readonly Namespace[],
): boolean {
  const { from = 'Same', selector = {} } = listener.allowedRoutes?.namespaces ?? {};
  if (from !== 'Selector') return from === 'All' || (from === 'Same' && namespace === gateway.namespace);
  if (asksUnknownLabels({ listener }, namespace, namespaces)) return false;
  const labels = namespaces.find(({ name }) => name === namespace)?.labels ?? {};
  return selectsLabels(selector, { ...labels, [nameLabel]: namespace });
}

/** Whether labels decide of a namespace that the input does not have: it may have any, so none of its routes is let in by them. */
function asksUnknownLabels(
  { listener }: Pick<ServedListener, 'listener'>,
  namespace: string,
  namespaces: readonly Namespace[],
): boolean {
  if (namespaces.some(({ name }) => name === namespace)) return false;
  const { matchLabels = {}, matchExpressions = [] } = listener.allowedRoutes?.namespaces?.selector ?? {};
  const keys = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
  return keys.some((key) => key !== nameLabel);
}

/** The host names that a route and a listener have in common, but for those of which another listener of the port is more specific. */
function servedHosts(
  { spec: { hostnames } }: AttachedRoute<string, unknown>,
  { host, listener }: ServedListener,
  own: readonly ServedListener[],
): readonly string[] {
  const wanted = hostnames === undefined ? [host] : hostnames.map((name) => name.toLowerCase());
  const beside = own.filter((it) => it.listener.port === listener.port).map((it) => it.host);
  const sorted = [...new Set(beside)].sort(compareSpecificity);
  return intersect(wanted, [host]).filter((name) => mostSpecific(name, sorted) === host);
}

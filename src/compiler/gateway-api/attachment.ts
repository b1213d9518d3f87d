import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { type AttachedRoute, allowedKinds, type ParentRef, type StandardGateway } from '../../policy/gateway-api.ts';
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

/** What a reference of a route to a Gateway leads to. */
export interface ParentOutcome {
  /** Undefined: there is no such Gateway. */
  readonly gateway: StandardGateway | undefined;
  /** Those that serve the route, before older routes take its host names. */
  readonly listeners: readonly ServedListener[];
  /** Why there are none; undefined where that is said of the Gateway. */
  readonly fault: ParentFault | undefined;
}

/** Why a Gateway does not serve a route: a reason of the standard's condition Accepted, and what is said. */
export interface ParentFault {
  readonly reason: 'NoMatchingParent' | 'NotAllowedByListeners' | 'NoMatchingListenerHostname';
  readonly why: string;
  readonly isUnseen?: boolean;
}

/** What became of the references of routes. */
export interface Attached<Route> {
  readonly attachments: readonly Attachment<Route>[];
  /** One for each of the route's references, in their order. */
  readonly parents: ReadonlyMap<Route, readonly ParentOutcome[]>;
}

/** Which listeners serve which routes, and for which hosts. A reference that leads to no listener is reported. */
export function attach<Route extends AttachedRoute<string, unknown>>(
  routes: readonly Route[],
  context: AttachmentContext,
  bag: DiagnosticBag,
): Attached<Route> {
  const parents = new Map<Route, readonly ParentOutcome[]>();
  const attachments = routes.flatMap((route) => {
    const found = new Map<ServedListener, Attachment<Route>>();
    const outcomes = route.spec.parentRefs.map((parent, i): ParentOutcome => {
      const { gateway, attachments: own = [], fault } = attachTo(route, parent, context);
      for (const attachment of own) found.set(attachment.listener, attachment);
      if (fault !== undefined) {
        const holes = {
          ...{ kind: route.kind, name: `${route.namespace}/${route.name}`, why: fault.why },
          gateway: `${parent.namespace ?? route.namespace}/${parent.name}`,
        };
        const span = route.document.spanOf(['spec', 'parentRefs', i]);
        bag.report('route-not-attached', span, holes, { isUnseen: fault.isUnseen ?? false });
      }
      return { gateway, listeners: own.map(({ listener }) => listener), fault };
    });
    parents.set(route, outcomes);
    return [...found.values()];
  });
  return { attachments, parents };
}

/** The label that each namespace has. */
const nameLabel = 'kubernetes.io/metadata.name';

/** Without attachments and a fault, the fault is said of the Gateway. */
interface Found<Route> {
  readonly gateway: StandardGateway | undefined;
  readonly attachments?: readonly Attachment<Route>[];
  readonly fault?: ParentFault;
}

function attachTo<Route extends AttachedRoute<string, unknown>>(
  route: Route,
  { namespace = route.namespace, name, sectionName, port }: ParentRef,
  { gateways, listeners, namespaces }: AttachmentContext,
): Found<Route> {
  const gateway = gateways.find((it) => it.namespace === namespace && it.name === name);
  const not = (reason: ParentFault['reason'], why: string, isUnseen = false): Found<Route> => {
    return { gateway, fault: { reason, why, isUnseen } };
  };
  if (gateway === undefined) {
    return not('NoMatchingParent', 'there is no such Gateway', !gateways.some((it) => it.namespace === namespace));
  }
  const own = listeners.filter((it) => it.gateway === gateway);
  if (own.length === 0) return { gateway };
  const named = own.filter(
    ({ listener }) => (sectionName ?? listener.name) === listener.name && (port ?? listener.port) === listener.port,
  );
  if (named.length === 0) return not('NoMatchingParent', 'it has no listener of that name and port');
  const allowing = named.filter(({ listener }) => allowedKinds(listener).includes(route.kind));
  if (allowing.length === 0) return not('NotAllowedByListeners', `its listeners allow no ${route.kind}`);
  const open = allowing.filter((it) => allowsNamespace(it, route.namespace, namespaces));
  if (open.length === 0) {
    const isUnseen = allowing.some((it) => asksUnknownLabels(it, route.namespace, namespaces));
    const why = isUnseen
      ? `the input has no Namespace "${route.namespace}", whose labels decide`
      : `its listeners allow no routes of namespace "${route.namespace}" (allowedRoutes)`;
    return not('NotAllowedByListeners', why, isUnseen);
  }
  const attachments = open.flatMap((listener) => {
    const hosts = servedHosts(route, listener, own);
    return hosts.length === 0 ? [] : [{ route, listener, hosts }];
  });
  if (attachments.length > 0) return { gateway, attachments };
  return not('NoMatchingListenerHostname', 'its listeners serve none of the host names');
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

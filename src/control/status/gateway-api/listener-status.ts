import { secretFault } from '../../../compiler/topology/gateway-secret.ts';
import {
  type AllowedRoutes,
  allowedKinds,
  type Listener,
  routeKinds,
  standardGroup,
} from '../../../policy/gateway-api.ts';
import type { ConditionWords } from '../condition.ts';
import type { StandardMesh } from './standard-mesh.ts';
import { isFalse, isTrue, type ListenerStatus } from './standard-status.ts';
import { fieldOf, isWithin, itemsOf, type PlacedFinding, type StandardSubject, textOf } from './standard-subject.ts';

type ServedListener = StandardMesh['outcome']['listeners'][number];

/** Whether the proxies of a Gateway have its configuration, and if not, why: a reason of the condition Programmed, and words. */
export type Delivery =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly reason: 'Pending' | 'NoResources'; readonly why: string };

/** The status of a listener of a Gateway that is compiled as it stands. `served` is undefined where nobody serves the Gateway. */
export function listenerStatus(
  { listener, served }: { readonly listener: Listener; readonly served: ServedListener | undefined },
  { warnings, delivery }: { readonly warnings: readonly PlacedFinding[]; readonly delivery: Delivery },
  mesh: StandardMesh,
): ListenerStatus {
  const fault = served && certificateFault(served, mesh);
  const refs =
    fault === undefined
      ? isTrue('ResolvedRefs', 'ResolvedRefs', 'all references lead to what they name')
      : isFalse('ResolvedRefs', 'InvalidCertificateRef', fault);
  return {
    name: listener.name,
    supportedKinds: kindsOf(allowedKinds(listener)),
    attachedRoutes: mesh.routesAt(served).size,
    conditions: [
      isTrue('Accepted', 'Accepted', 'the listener is valid'),
      programmed({ fault, leftOut: warnings.filter(({ code }) => code === 'gateway-server-left-out') }, delivery),
      refs,
      isFalse('Conflicted', 'NoConflicts', 'no other listener conflicts with it'),
    ],
  };
}

function programmed(
  { fault, leftOut }: { readonly fault: string | undefined; readonly leftOut: readonly PlacedFinding[] },
  delivery: Delivery,
): ConditionWords {
  if (fault !== undefined) return isFalse('Programmed', 'Invalid', fault);
  if (leftOut.length > 0) return isFalse('Programmed', 'Invalid', textOf(leftOut));
  return delivery.isDone
    ? isTrue('Programmed', 'Programmed', 'the listener is served to the proxies of the Gateway')
    : isFalse('Programmed', 'Pending', delivery.why);
}

/** Why the Secret of a listener cannot serve; undefined: it can, or there is none. */
function certificateFault({ made }: ServedListener, mesh: StandardMesh): string | undefined {
  const { standard, spec } = made.object;
  const name = spec.servers[0]?.tls?.credentialName;
  if (name === undefined || standard === undefined) return undefined;
  const secret = mesh.secret(standard.namespace, name);
  if (secret === undefined)
    return `there is no Secret "${name}" in namespace "${standard.namespace}" that meshd may read`;
  const fault = secretFault(secret, 'pair');
  return fault === undefined ? undefined : `Secret "${name}" cannot be used: ${fault}`;
}

/** The status of a listener of a Gateway that has errors, in any of its listeners; undefined for one without a name. */
export function faultyListenerStatus(
  { value, errors }: StandardSubject,
  index: number,
  attachedRoutes: number,
): ListenerStatus | undefined {
  const listener = itemsOf(value, 'spec', 'listeners')[index];
  const name = fieldOf(listener, 'name');
  if (typeof name !== 'string') return undefined;
  const own = errors.filter(({ path, related }) =>
    [path, ...related].some((it) => isWithin(it, 'spec', 'listeners', index)),
  );
  const conflicts = own.flatMap((error) => conflictOf(error) ?? []);
  const refs = own.flatMap((error) => (isWithin(error.path, 'spec', 'listeners', index) ? (refsOf(error) ?? []) : []));
  const others = own.filter((error) => conflictOf(error) === undefined && refsOf(error) === undefined);
  return {
    name,
    supportedKinds: kindsOf(possibleKinds(listener)),
    attachedRoutes,
    conditions: [
      acceptedIn(others, conflicts),
      own.length > 0
        ? isFalse('Programmed', 'Invalid', textOf(own))
        : isFalse('Programmed', 'Pending', 'the Gateway is not valid'),
      first(refs, 'False') ?? isTrue('ResolvedRefs', 'ResolvedRefs', 'all references lead to what they name'),
      first(conflicts, 'True') ?? isFalse('Conflicted', 'NoConflicts', 'no other listener conflicts with it'),
    ],
  };
}

/** An error with what it means for a condition. */
interface Meaning {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

function first([meaning]: readonly Meaning[], status: 'True' | 'False'): ConditionWords | undefined {
  return meaning && { type: meaning.type, status, reason: meaning.reason, message: meaning.message };
}

function acceptedIn([error]: readonly PlacedFinding[], [conflict]: readonly Meaning[]): ConditionWords {
  if (error !== undefined) {
    const reason = error.path[3] === 'protocol' ? 'UnsupportedProtocol' : 'UnsupportedValue';
    return isFalse('Accepted', reason, error.message);
  }
  if (conflict !== undefined) return isFalse('Accepted', conflict.reason, conflict.message);
  return isTrue('Accepted', 'Accepted', 'the listener is valid');
}

/** Listeners of one port conflict in their protocols, or in their host names. */
function conflictOf({ code, path, message }: PlacedFinding): Meaning | undefined {
  if (code !== 'invalid-listener') return undefined;
  if (path[3] === 'protocol') return { type: 'Conflicted', reason: 'ProtocolConflict', message };
  return path[3] === 'port' ? { type: 'Conflicted', reason: 'HostnameConflict', message } : undefined;
}

function refsOf({ code, path, message }: PlacedFinding): Meaning | undefined {
  const type = 'ResolvedRefs';
  if (code === 'listener-secret-not-granted') return { type, reason: 'RefNotPermitted', message };
  const [, , , field, part] = path;
  if (field === 'tls' && part === 'certificateRefs') return { type, reason: 'InvalidCertificateRef', message };
  const isOfKinds = field === 'allowedRoutes' && (part === 'kinds' || (code === 'invalid-listener' && !part));
  return isOfKinds ? { type, reason: 'InvalidRouteKinds', message } : undefined;
}

/** Of a listener that nobody has checked. */
function possibleKinds(listener: unknown): readonly string[] {
  const protocol = fieldOf(listener, 'protocol');
  if (typeof protocol !== 'string' || !Object.hasOwn(routeKinds, protocol)) return [];
  const kinds = itemsOf(listener, 'allowedRoutes', 'kinds').map((it) => ({ kind: String(fieldOf(it, 'kind')) }));
  const allowedRoutes: AllowedRoutes = { kinds };
  return allowedKinds({ protocol: protocol as Listener['protocol'], allowedRoutes });
}

function kindsOf(kinds: readonly string[]): ListenerStatus['supportedKinds'] {
  return kinds.map((kind) => ({ group: standardGroup, kind }));
}

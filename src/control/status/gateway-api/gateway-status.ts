import type { StandardGateway } from '../../../policy/gateway-api.ts';
import type { ConditionWords } from '../condition.ts';
import { type Delivery, faultyListenerStatus, listenerStatus } from './listener-status.ts';
import type { StandardMesh } from './standard-mesh.ts';
import { type GatewayAddress, isFalse, isTrue, type ListenerStatus, type StandardStatus } from './standard-status.ts';
import { fieldOf, isWithin, itemsOf, type StandardSubject, textOf } from './standard-subject.ts';

/** As many addresses a status has at most. */
const mostAddresses = 16;

/** The status of a Gateway; undefined: another program serves its class, or it is not compiled yet. */
export function gatewayStatus(subject: StandardSubject, mesh: StandardMesh): StandardStatus | undefined {
  if (mesh.controllerOf(fieldOf(subject.value, 'spec', 'gatewayClassName')) === undefined) return undefined;
  const gateway = mesh.gateway(subject.namespace, subject.name);
  if (subject.errors.length > 0) return faultyStatus(subject, gateway, mesh);
  if (gateway === undefined) return undefined;
  const delivery = deliveryOf(gateway, mesh);
  const listeners = gateway.spec.listeners.map((listener, i) => {
    const warnings = subject.warnings.filter(({ path }) => isWithin(path, 'spec', 'listeners', i));
    return listenerStatus({ listener, served: mesh.listener(gateway, listener.name) }, { warnings, delivery }, mesh);
  });
  return {
    conditions: [accepted(gateway, listeners, mesh), programmed(gateway, listeners, { mesh, delivery })],
    addresses: addressesOf(gateway, mesh),
    listeners,
  };
}

function accepted(gateway: StandardGateway, listeners: readonly ListenerStatus[], mesh: StandardMesh): ConditionWords {
  const fault = mesh.outcome.gateways.unserved.get(gateway);
  if (fault?.reason === 'UnsupportedAddress') return isFalse('Accepted', fault.reason, fault.why);
  const unresolved = listeners.filter(({ conditions }) => !isHeld(conditions, 'ResolvedRefs'));
  if (unresolved.length === 0) return isTrue('Accepted', 'Accepted', 'the Gateway is valid');
  const names = unresolved.map(({ name }) => `"${name}"`).join(', ');
  return isTrue('Accepted', 'ListenersNotValid', `references of listeners lead to nothing that can be used: ${names}`);
}

function programmed(
  gateway: StandardGateway,
  listeners: readonly ListenerStatus[],
  { mesh, delivery }: { readonly mesh: StandardMesh; readonly delivery: Delivery },
): ConditionWords {
  const type = 'Programmed';
  const fault = mesh.outcome.gateways.unserved.get(gateway);
  if (fault !== undefined) {
    return isFalse(type, fault.reason === 'AddressNotUsable' ? fault.reason : 'Invalid', fault.why);
  }
  if (!delivery.isDone) return isFalse(type, delivery.reason, delivery.why);
  if (listeners.some(({ conditions }) => isHeld(conditions, type))) {
    return isTrue(type, type, 'the configuration of the Gateway is served to its proxies');
  }
  return isFalse(type, 'Invalid', 'no listener can be served');
}

function isHeld(conditions: readonly ConditionWords[], type: string): boolean {
  return conditions.some((it) => it.type === type && it.status === 'True');
}

function deliveryOf(gateway: StandardGateway, mesh: StandardMesh): Delivery {
  const fault = mesh.outcome.gateways.unserved.get(gateway);
  if (fault !== undefined) return { isDone: false, reason: 'Pending', why: `the Gateway is not served: ${fault.why}` };
  const proxies = mesh.proxiesOf(gateway);
  if (proxies.length === 0) return { isDone: false, reason: 'NoResources', why: 'no proxy serves the Gateway' };
  if (proxies.some((proxy) => !mesh.isFrozen(proxy))) return { isDone: true };
  return { isDone: false, reason: 'Pending', why: 'its proxies keep what they had, because of invalid objects' };
}

/** The Service that the Gateway names, or those that lead to its proxies. */
function addressesOf(gateway: StandardGateway, mesh: StandardMesh): readonly GatewayAddress[] {
  const named = mesh.outcome.gateways.served.get(gateway)?.host;
  const targets = mesh.proxiesOf(gateway).flatMap(({ targets: all }) => all.map(({ service }) => service));
  const leading = targets.filter(({ kind }) => kind === 'Service').map(({ host }) => host);
  const hosts = named === undefined ? [...new Set(leading)].sort().slice(0, mostAddresses) : [named];
  return hosts.map((value) => ({ type: 'Hostname', value }));
}

/** Of a Gateway with errors: its last valid version, `held`, stays in force, if there was one. */
function faultyStatus(subject: StandardSubject, held: StandardGateway | undefined, mesh: StandardMesh): StandardStatus {
  const { value, errors } = subject;
  const rest = `; ${held === undefined ? 'no' : 'the last valid'} version of the Gateway is in force`;
  const isOf = (...path: readonly string[]) => errors.some((error) => isWithin(error.path, 'spec', ...path));
  const reason = isOf('listeners')
    ? 'ListenersNotValid'
    : isOf('addresses')
      ? 'UnsupportedAddress'
      : isOf('infrastructure')
        ? 'InvalidParameters'
        : 'Invalid';
  const listeners = itemsOf(value, 'spec', 'listeners').flatMap((listener, i) => {
    const before = mesh.listener(held, String(fieldOf(listener, 'name')));
    return faultyListenerStatus(subject, i, mesh.routesAt(before).size) ?? [];
  });
  return {
    conditions: [
      isFalse('Accepted', reason, textOf(errors, rest)),
      isFalse('Programmed', 'Invalid', `the Gateway is not valid${rest}`),
    ],
    addresses: held === undefined ? [] : addressesOf(held, mesh),
    // Of listeners with one name a server takes the first.
    listeners: listeners.filter(({ name }, i) => listeners.findIndex((it) => it.name === name) === i),
  };
}

import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { type GatewayClass, gatewayNameLabel, type StandardGateway } from '../../policy/gateway-api.ts';
import { ownClasses, ownControllerOf } from '../../policy/gateway-controllers.ts';
import type { Service } from '../../policy/topology-kinds.ts';

/** Who serves a Gateway of the standard: workloads of one namespace with these labels. */
export interface GatewayWorkloads {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The full name of the Service that the Gateway names; absent: it names none. */
  readonly host?: string;
}

export interface GatewaySurroundings {
  readonly classes: readonly GatewayClass[];
  /** By `<namespace>/<name>`. */
  readonly services: ReadonlyMap<string, Service>;
  readonly clusterDomain: string;
}

/** The workloads of each Gateway that is served here. */
export type ServedGateways = ReadonlyMap<StandardGateway, GatewayWorkloads>;

/** Why a Gateway of a class of ours is not served: a reason of the standard's conditions, and what is said. */
export interface AddressFault {
  readonly reason: 'UnsupportedAddress' | 'AddressNotUsable';
  readonly why: string;
}

/** Which Gateways are served here. Those of other classes are in neither. */
export interface FoundGateways {
  readonly served: ServedGateways;
  readonly unserved: ReadonlyMap<StandardGateway, AddressFault>;
}

/** Finds who serves the Gateways; those that are not served here are reported. */
export function servedGateways(
  gateways: readonly StandardGateway[],
  surroundings: GatewaySurroundings,
  bag: DiagnosticBag,
): FoundGateways {
  const served = new Map<StandardGateway, GatewayWorkloads>();
  const unserved = new Map<StandardGateway, AddressFault>();
  for (const gateway of gateways) {
    if (!isOfOwnClass(gateway, surroundings.classes)) {
      reportOtherClass(gateway, surroundings.classes, bag);
      continue;
    }
    const found = workloadsOf(gateway, surroundings, bag);
    if ('labels' in found) served.set(gateway, found);
    else unserved.set(gateway, found);
  }
  return { served, unserved };
}

/** Whether the class of a Gateway is one of which the input says nothing, as it has no GatewayClass at all. */
export function isOfUnseenClass({ spec }: StandardGateway, classes: readonly GatewayClass[]): boolean {
  return classes.length === 0 && !ownClasses.has(spec.gatewayClassName);
}

/** Whether Gateways of its class are served here. */
export function isOfOwnClass({ spec }: StandardGateway, classes: readonly GatewayClass[]): boolean {
  return ownControllerOf(spec.gatewayClassName, classes) !== undefined;
}

function reportOtherClass(gateway: StandardGateway, classes: readonly GatewayClass[], bag: DiagnosticBag): void {
  const { gatewayClassName } = gateway.spec;
  const found = classes.find(({ name }) => name === gatewayClassName);
  const why =
    found === undefined
      ? `there is no GatewayClass "${gatewayClassName}", and its name is neither "mesh" nor "istio"`
      : `its class "${gatewayClassName}" is for the controller "${found.spec.controllerName}"`;
  reportUnserved(gateway, { path: ['gatewayClassName'], why, isUnseen: isOfUnseenClass(gateway, classes) }, bag);
}

interface WhyUnserved {
  /** Below the specification. */
  readonly path: JsonPath;
  readonly why: string;
  readonly isUnseen?: boolean;
}

function reportUnserved(gateway: StandardGateway, { path, why, isUnseen = false }: WhyUnserved, bag: DiagnosticBag) {
  const holes = { gateway: `${gateway.namespace}/${gateway.name}`, why };
  bag.report('gateway-not-served', gateway.document.spanOf(['spec', ...path]), holes, { isUnseen });
}

function workloadsOf(
  gateway: StandardGateway,
  { services, clusterDomain }: GatewaySurroundings,
  bag: DiagnosticBag,
): GatewayWorkloads | AddressFault {
  const address = gateway.spec.addresses?.[0]?.value;
  if (address === undefined) return { namespace: gateway.namespace, labels: { [gatewayNameLabel]: gateway.name } };
  const refuse = (reason: AddressFault['reason'], why: string, isUnseen = false): AddressFault => {
    reportUnserved(gateway, { path: ['addresses', 0, 'value'], why, isUnseen }, bag);
    return { reason, why };
  };
  const named = serviceName(address, gateway.namespace, clusterDomain);
  if (named === undefined) {
    return refuse('UnsupportedAddress', `"${address}" is not the name of a Service of the cluster`);
  }
  const service = services.get(named);
  if (service === undefined) {
    const isUnseen = ![...services.keys()].some((it) => it.startsWith(`${named.slice(0, named.indexOf('/'))}/`));
    return refuse('AddressNotUsable', `there is no Service "${named}"`, isUnseen);
  }
  const labels = service.spec.selector ?? {};
  if (Object.keys(labels).length === 0) {
    return refuse('AddressNotUsable', `the Service "${named}" selects no workloads`);
  }
  const host = `${service.name}.${service.namespace}.svc.${clusterDomain}`;
  return { namespace: service.namespace, labels, host };
}

/** `name`, `name.namespace`, `name.namespace.svc` or that with the domain of the cluster, as `<namespace>/<name>`. */
function serviceName(address: string, namespace: string, clusterDomain: string): string | undefined {
  const [name = '', owner = namespace, ...rest] = address.toLowerCase().split('.');
  const isOfCluster = ['', 'svc', `svc.${clusterDomain}`].includes(rest.join('.'));
  return isOfCluster ? `${owner}/${name}` : undefined;
}

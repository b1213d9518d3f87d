import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import {
  type GatewayClass,
  gatewayNameLabel,
  ownClasses,
  ownControllers,
  type StandardGateway,
} from '../../policy/gateway-api.ts';
import type { Service } from '../../policy/topology-kinds.ts';

/** Who serves a Gateway of the standard: workloads of one namespace with these labels. */
export interface GatewayWorkloads {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface GatewaySurroundings {
  readonly classes: readonly GatewayClass[];
  /** By `<namespace>/<name>`. */
  readonly services: ReadonlyMap<string, Service>;
  readonly clusterDomain: string;
}

/** The workloads of each Gateway that is served here; the others are reported. */
export type ServedGateways = ReadonlyMap<StandardGateway, GatewayWorkloads>;

/** Finds who serves the Gateways. */
export function servedGateways(
  gateways: readonly StandardGateway[],
  surroundings: GatewaySurroundings,
  bag: DiagnosticBag,
): ServedGateways {
  const served = new Map<StandardGateway, GatewayWorkloads>();
  for (const gateway of gateways) {
    const workloads = workloadsOf(gateway, surroundings, bag);
    if (workloads !== undefined) served.set(gateway, workloads);
  }
  return served;
}

/** Whether the class of a Gateway is one of which the input says nothing, as it has no GatewayClass at all. */
export function isOfUnseenClass({ spec }: StandardGateway, classes: readonly GatewayClass[]): boolean {
  return classes.length === 0 && !ownClasses.has(spec.gatewayClassName);
}

/** Whether Gateways of its class are served here. */
export function isOfOwnClass(
  { spec: { gatewayClassName } }: StandardGateway,
  classes: readonly GatewayClass[],
): boolean {
  const found = classes.find(({ name }) => name === gatewayClassName);
  return found === undefined ? ownClasses.has(gatewayClassName) : ownControllers.has(found.spec.controllerName);
}

function workloadsOf(
  gateway: StandardGateway,
  { classes, services, clusterDomain }: GatewaySurroundings,
  bag: DiagnosticBag,
): GatewayWorkloads | undefined {
  const { gatewayClassName, addresses } = gateway.spec;
  const refuse = (field: readonly (string | number)[], why: string, isUnseen = false): undefined => {
    const holes = { gateway: `${gateway.namespace}/${gateway.name}`, why };
    bag.report('gateway-not-served', gateway.document.spanOf(['spec', ...field]), holes, { isUnseen });
  };
  const found = classes.find(({ name }) => name === gatewayClassName);
  if (found !== undefined && !ownControllers.has(found.spec.controllerName)) {
    const why = `its class "${gatewayClassName}" is for the controller "${found.spec.controllerName}"`;
    return refuse(['gatewayClassName'], why);
  }
  if (found === undefined && !ownClasses.has(gatewayClassName)) {
    const why = `there is no GatewayClass "${gatewayClassName}", and its name is neither "mesh" nor "istio"`;
    return refuse(['gatewayClassName'], why, isOfUnseenClass(gateway, classes));
  }
  const address = addresses?.[0]?.value;
  if (address === undefined) return { namespace: gateway.namespace, labels: { [gatewayNameLabel]: gateway.name } };
  const place = ['addresses', 0, 'value'];
  const named = serviceName(address, gateway.namespace, clusterDomain);
  if (named === undefined) return refuse(place, `"${address}" is not the name of a Service of the cluster`);
  const service = services.get(named);
  if (service === undefined) {
    const isUnseen = ![...services.keys()].some((it) => it.startsWith(`${named.slice(0, named.indexOf('/'))}/`));
    return refuse(place, `there is no Service "${named}"`, isUnseen);
  }
  const labels = service.spec.selector ?? {};
  if (Object.keys(labels).length === 0) return refuse(place, `the Service "${named}" selects no workloads`);
  return { namespace: service.namespace, labels };
}

/** `name`, `name.namespace`, `name.namespace.svc` or that with the domain of the cluster, as `<namespace>/<name>`. */
function serviceName(address: string, namespace: string, clusterDomain: string): string | undefined {
  const [name = '', owner = namespace, ...rest] = address.toLowerCase().split('.');
  const isOfCluster = ['', 'svc', `svc.${clusterDomain}`].includes(rest.join('.'));
  return isOfCluster ? `${owner}/${name}` : undefined;
}

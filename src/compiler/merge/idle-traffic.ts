import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { DestinationRule, TrafficBlocks, TrafficPolicy } from '../../policy/destination-rule.ts';
import type { Service, ServicePort } from '../topology/model.ts';
import { type ProtocolClass, protocolClass } from '../topology/protocol.ts';

/** Fields that mean something for requests alone, and for other bytes alone. */
const fieldsOf: Readonly<Record<'http' | 'tcp', readonly JsonPath[]>> = {
  http: [
    ['connectionPool', 'http', 'idleTimeout'],
    ['connectionPool', 'http', 'maxRequestsPerConnection'],
    ['connectionPool', 'http', 'maxConcurrentStreams'],
    ['connectionPool', 'http', 'h2UpgradePolicy'],
    ['connectionPool', 'http', 'useClientProtocol'],
    ['loadBalancer', 'consistentHash', 'httpHeaderName'],
    ['loadBalancer', 'consistentHash', 'httpCookie'],
    ['loadBalancer', 'consistentHash', 'httpQueryParameterName'],
  ],
  tcp: [['connectionPool', 'tcp', 'idleTimeout']],
};

/** Tells which fields of a rule are for a protocol that none of the ports that they hold for speaks. */
export function reportIdleTraffic(
  { spec, document }: DestinationRule,
  host: string,
  services: readonly Service[],
  { sniffOutbound }: Settings,
  bag: DiagnosticBag,
): void {
  const all = services.flatMap(({ ports }) => ports);
  const check = (blocks: TrafficBlocks, path: JsonPath, ports: readonly ServicePort[]): void => {
    const classes = new Set(ports.map(({ protocol }) => protocolClass(protocol, sniffOutbound)));
    for (const kind of idleKinds(classes)) {
      for (const field of fieldsOf[kind]) {
        if (valueAt(blocks, field) === undefined) continue;
        const why = kind === 'http' ? 'no port that it holds for is HTTP' : 'every port that it holds for is HTTP';
        const span = document.spanOf([...path, ...field], 'key');
        bag.report('field-without-effect', span, { field: String(field.at(-1)), host, why });
      }
    }
  };
  const checkPolicy = (policy: TrafficPolicy | undefined, path: JsonPath): void => {
    if (policy === undefined) return;
    check(policy, path, all);
    for (const [i, port] of (policy.portLevelSettings ?? []).entries()) {
      const ports = all.filter(({ number }) => number === port.port.number);
      check(port, [...path, 'portLevelSettings', i], ports);
    }
  };
  checkPolicy(spec.trafficPolicy, ['spec', 'trafficPolicy']);
  for (const [i, { trafficPolicy }] of (spec.subsets ?? []).entries()) {
    checkPolicy(trafficPolicy, ['spec', 'subsets', i, 'trafficPolicy']);
  }
}

/** Ports with protocol detection may be HTTP or TCP; a policy without any port has a warning of its own. */
function idleKinds(classes: ReadonlySet<ProtocolClass>): readonly ('http' | 'tcp')[] {
  if (classes.has('auto') || classes.has('http') === classes.has('tcp')) return [];
  return classes.has('http') ? ['tcp'] : ['http'];
}

function valueAt(node: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], node);
}

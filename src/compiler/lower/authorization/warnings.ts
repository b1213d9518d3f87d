import type { Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import {
  type AuthorizationAction,
  type AuthorizationPolicy,
  type AuthorizationRule,
  takesAccess,
} from '../../../policy/authorization-policy.ts';
import type { Workload } from '../../topology/model.ts';
import { protocolClass } from '../../topology/protocol.ts';
import type { Lowering } from '../lowering.ts';
import type { Authorizer } from './authorizers.ts';
import { withoutPort } from './hosts.ts';
import { foreignDomain } from './identities.ts';
import { httpFields, isHttpOnly } from './rule.ts';

/** Values of a policy with their places, from the object's root. */
interface PlacedValue {
  /** Of a source, an operation, or a condition's key. */
  readonly field: string;
  readonly value: string;
  readonly path: JsonPath;
}

/** Whose policies are looked at. */
export interface RuledWorkload {
  readonly workload: Workload;
  /** Ports on which servers of a gateway carry bytes alone, in order; a sidecar's are its workload's. */
  readonly bytePorts: readonly number[];
}

/** What the policies of a workload say and may not do as they say there. Each rule is reported once for one cause. */
export function warnOfRules(
  policies: readonly AuthorizationPolicy[],
  { workload, bytePorts }: RuledWorkload,
  authorizers: readonly Authorizer[],
  { settings, memo }: Lowering,
  bag: DiagnosticBag,
): void {
  const isSidecar = workload.role !== 'router';
  const ports = isSidecar ? tcpPorts(workload, settings) : bytePorts;
  for (const policy of policies) {
    memo.of([policy], `warnings ${isSidecar}`, bag, (own) => {
      for (const [index] of (policy.spec.rules ?? []).entries()) warnOfValues(policy, index, isSidecar, settings, own);
    });
    const asked = authorizers.find(({ name }) => name === policy.spec.provider?.name);
    memo.of([workload, policy], `warnings ${ports.join()} ${asked?.settings.protocol}`, bag, (own) => {
      warnOfServicePorts(policy, workload, own);
      if (ports.length === 0) return;
      warnOfBytes(policy, workload, ports, own);
      if (asked?.settings.protocol === 'http') warnOfQuestion(policy, workload, ports, own);
    });
  }
}

function warnOfValues(
  policy: AuthorizationPolicy,
  index: number,
  isSidecar: boolean,
  settings: Settings,
  bag: DiagnosticBag,
): void {
  const values = valuesOf(policy, index);
  const spanOf = ({ path }: PlacedValue) => policy.document.spanOf(path);
  const path = values.find(({ field }) => /^(p|notP)aths$/.test(field));
  const level = settings.pathNormalization;
  if (path !== undefined && level !== 'DECODE_AND_MERGE_SLASHES') {
    bag.report('weak-path-normalization', spanOf(path), { value: path.value, level });
  }
  const forwarded = values.find(({ field }) => /^((r|notR)emoteIpBlocks|remote\.ip)$/.test(field));
  if (forwarded !== undefined && isSidecar && !settings.sidecarUseRemoteAddress) {
    bag.report('forwarded-address-at-sidecar', spanOf(forwarded), { field: forwarded.field });
  }
  if (!isSidecar) warnOfHostPorts(policy, values, bag);
  const trusted = [settings.trustDomain, ...settings.trustDomainAliases];
  for (const principal of values.filter(({ field }) => /^((p|notP)rincipals|source\.principal)$/.test(field))) {
    const domain = settings.skipValidateTrustDomain ? undefined : foreignDomain(principal.value, trusted);
    if (domain === undefined) continue;
    bag.report('untrusted-domain', spanOf(principal), { value: principal.value, domain, trusted: trusted.join(', ') });
    return;
  }
}

/** Gateways take the port off an authority before rules are looked at. The same host without its port says enough. */
function warnOfHostPorts(policy: AuthorizationPolicy, values: readonly PlacedValue[], bag: DiagnosticBag): void {
  const { action = 'ALLOW' } = policy.spec;
  const listOf = ({ path }: PlacedValue): string => path.slice(0, -1).join('.');
  for (const placed of values) {
    const { field, value, path } = placed;
    const host = /^((h|notH)osts|request\.headers\[(host|:authority)\])$/i.test(field) ? withoutPort(value) : undefined;
    if (host === undefined) continue;
    const beside = values.filter((other) => listOf(other) === listOf(placed));
    if (beside.some((other) => other.value.toLowerCase() === host.toLowerCase())) continue;
    const takes = takesAccess(action, String(path.at(-2)).startsWith('not'));
    const effect = takes ? `holds for "${host}" with every port` : 'matches nothing';
    bag.report('host-port-at-gateway', policy.document.spanOf(path), { value, effect });
  }
}

function valuesOf(policy: AuthorizationPolicy, index: number): readonly PlacedValue[] {
  const { from = [], to = [], when = [] } = policy.spec.rules?.[index] ?? {};
  const root: JsonPath = ['spec', 'rules', index];
  const listed = (fields: object, path: JsonPath): PlacedValue[] =>
    Object.entries(fields as Record<string, readonly string[]>).flatMap(([field, values]) =>
      values.map((value, i) => ({ field, value, path: [...path, field, i] })),
    );
  return [
    ...from.flatMap(({ source }, i) => listed(source, [...root, 'from', i, 'source'])),
    ...to.flatMap(({ operation }, i) => listed(operation, [...root, 'to', i, 'operation'])),
    ...when.flatMap(({ key, values = [], notValues = [] }, i) =>
      listed({ values, notValues }, [...root, 'when', i]).map((placed) => ({ ...placed, field: key })),
    ),
  ];
}

/** Proxies see container ports; the number of a service port matches nothing where the two differ. */
function warnOfServicePorts(policy: AuthorizationPolicy, { targets }: Workload, bag: DiagnosticBag): void {
  for (const [index] of (policy.spec.rules ?? []).entries()) {
    for (const { field, value, path } of valuesOf(policy, index)) {
      if (!/^(ports|notPorts|destination\.port)$/.test(field)) continue;
      const isTarget = targets.some(({ targetPort }) => targetPort === Number(value));
      const named = targets.find(({ port }) => port.number === Number(value));
      if (isTarget || named === undefined) continue;
      bag.report('service-port-in-rule', policy.document.spanOf(path), {
        port: value,
        service: `${named.service.namespace}/${named.service.name}`,
        targetPort: String(named.targetPort),
      });
    }
  }
}

/** Container ports that carry bytes alone; on detected ports a connection may still turn out to be HTTP. */
function tcpPorts({ targets }: Workload, { sniffInbound }: Settings): readonly number[] {
  const ports = targets.filter(({ port }) => protocolClass(port.protocol, sniffInbound) === 'tcp');
  return [...new Set(ports.map(({ targetPort }) => targetPort))].sort((a, b) => a - b);
}

/** What only requests have is not there on connections. */
function warnOfBytes(
  policy: AuthorizationPolicy,
  { namespace, name }: Workload,
  ports: readonly number[],
  bag: DiagnosticBag,
): void {
  const { action = 'ALLOW', rules = [] } = policy.spec;
  for (const [index, rule] of rules.entries()) {
    const fields = [...new Set(httpFields(rule))];
    const concerned = ports.filter((port) => concerns(rule, String(port)));
    if (fields.length === 0 || concerned.length === 0) continue;
    bag.report(codeOnBytes(action, rule), policy.document.spanOf(['spec', 'rules', index]), {
      action,
      fields: fields.map((field) => `"${field}"`).join(', '),
      ports: concerned.join(', '),
      workload: `${namespace}/${name}`,
    });
  }
}

function codeOnBytes(action: AuthorizationAction, rule: AuthorizationRule) {
  if (action === 'ALLOW') return 'rule-lost-on-tcp';
  return action === 'DENY' && isHttpOnly(rule) ? 'deny-of-http-only' : 'rule-wider-on-tcp';
}

/** HTTP has no question about a connection. */
function warnOfQuestion(
  { spec, document }: AuthorizationPolicy,
  { namespace, name }: Workload,
  ports: readonly number[],
  bag: DiagnosticBag,
): void {
  const concerned = ports.filter((port) => spec.rules?.some((rule) => concerns(rule, String(port))));
  if (concerned.length === 0) return;
  bag.report('authorizer-of-requests-only', document.spanOf(['spec', 'provider', 'name']), {
    name: spec.provider?.name ?? '',
    ports: concerned.join(', '),
    workload: `${namespace}/${name}`,
  });
}

function concerns({ to }: AuthorizationRule, port: string): boolean {
  if (to === undefined) return true;
  return to.some(({ operation: { ports, notPorts = [] } }) => {
    return (ports === undefined || ports.some((value) => Number(value) === Number(port))) && !notPorts.includes(port);
  });
}

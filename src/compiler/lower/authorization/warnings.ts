import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type {
  AuthorizationAction,
  AuthorizationPolicy,
  AuthorizationRule,
} from '../../../policy/authorization-policy.ts';
import type { Workload } from '../../topology/model.ts';
import type { Lowering } from '../lowering.ts';
import type { Authorizer } from './authorizers.ts';
import { httpFields, isHttpOnly } from './rule.ts';

/** Whose policies are looked at. */
export interface RuledWorkload {
  readonly workload: Workload;
  /** Ports that carry bytes alone, in order: of a gateway's servers, or of a sidecar's workload. */
  readonly bytePorts: readonly number[];
}

/** What the policies of a workload may not do as they say on ports that carry bytes alone. Each rule is reported once for one cause. */
export function warnOfRules(
  policies: readonly AuthorizationPolicy[],
  { workload, bytePorts: ports }: RuledWorkload,
  authorizers: readonly Authorizer[],
  { memo }: Lowering,
  bag: DiagnosticBag,
): void {
  if (ports.length === 0) return;
  for (const policy of policies) {
    const asked = authorizers.find(({ name }) => name === policy.spec.provider?.name);
    memo.of([workload, policy], `warnings ${ports.join()} ${asked?.settings.protocol}`, bag, (own) => {
      warnOfBytes(policy, workload, ports, own);
      if (asked?.settings.protocol === 'http') warnOfQuestion(policy, workload, ports, own);
    });
  }
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

import { hasLabels } from '../../compiler/topology/selector.ts';
import type { AuthorizationRule } from '../../policy/authorization-policy.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Addresses of clients outside, asked of every call inside. */
export const rule: Rule = {
  code: 'mesh-wide-deny-by-address',
  id: 'MP327',
  severity: 'warning',
  category: 'authorization',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a DENY rule for the whole mesh that allows only addresses outside of it',
  why: 'it holds for sidecars too, and the workloads of the mesh have other addresses: all their calls to each other are refused',
  hint: 'select the gateway: "selector.matchLabels", in the namespace of the gateway',
  check({ snapshot, report }) {
    const { rootNamespace } = snapshot.settings;
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      if (policy.spec.action !== 'DENY' || policy.namespace !== rootNamespace || hasLabels(policy.spec.selector))
        continue;
      const blocks = exceptedBlocks(own);
      if (blocks === undefined || blocks.some(mayBeOfMesh)) continue;
      report({
        ...{ object: policy, path },
        message: `every request to every workload is denied, except from ${blocks.map((block) => `"${block}"`).join(', ')}`,
      });
    }
  },
};

/** The addresses that alone are excepted; undefined where the rule asks for anything else. */
function exceptedBlocks({ from = [], to = [], when = [] }: AuthorizationRule): readonly string[] | undefined {
  if (from.length !== 1 || to.length + when.length > 0) return undefined;
  const [[field, values] = ['', []], ...others] = Object.entries(from[0]?.source ?? {});
  return others.length === 0 && /^not(Remote)?IpBlocks$/.test(field) ? (values as readonly string[]) : undefined;
}

/** Private addresses, of which pods have theirs; and blocks that hold them. */
function mayBeOfMesh(block: string): boolean {
  return /^(10|127|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|172\.(1[6-9]|2\d|3[01])|192\.168|169\.254)\.|\/[0-7]$|^f[cd]|^fe80/i.test(
    block,
  );
}

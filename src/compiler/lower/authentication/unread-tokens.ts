import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { RequestAuthentication } from '../../../policy/request-authentication.ts';
import type { InboundIR } from '../../ir/proxy.ts';
import type { Workload } from '../../topology/model.ts';

/** Names policies of a workload none of whose chains reads requests: they check nothing there. */
export function warnOfUnreadTokens(
  policies: readonly RequestAuthentication[],
  { listeners }: InboundIR,
  { namespace, name }: Workload,
  bag: DiagnosticBag,
): void {
  const asking = policies.filter(({ spec }) => (spec.jwtRules ?? []).length > 0);
  if (asking.length === 0) return;
  const chains = listeners.flatMap(({ filterChains, defaultFilterChain }) => [
    ...filterChains,
    ...(defaultFilterChain === undefined ? [] : [defaultFilterChain]),
  ]);
  if (chains.length === 0 || chains.some(({ filter }) => filter.kind === 'http')) return;
  for (const { document, ...policy } of asking) {
    bag.report('tokens-without-http', document.spanOf(['spec', 'jwtRules'], 'key'), {
      name: `${policy.namespace}/${policy.name}`,
      workload: `${namespace}/${name}`,
    });
  }
}

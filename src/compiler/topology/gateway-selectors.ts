import type { Settings } from '../../config/settings.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { WorkloadRole } from './model.ts';
import { type Labels, selects } from './selector.ts';
import type { WorkloadDraft } from './workloads.ts';

/** What Gateways select, as far as it makes gateway workloads of pods that say nothing of themselves. */
export interface GatewaySelector {
  /** Undefined: in every namespace. */
  readonly namespace: string | undefined;
  readonly labels: Labels;
}

/** Selectors with labels, each once, in an order that does not depend on that of the Gateways. */
export function gatewaySelectors(
  gateways: readonly Gateway[],
  { scopeGatewayToNamespace }: Settings,
): readonly GatewaySelector[] {
  const byText = new Map<string, GatewaySelector>();
  for (const { namespace, spec, standard } of gateways) {
    if (scopeGatewayToNamespace && standard !== undefined && standard.namespace !== namespace) continue;
    const labels = Object.fromEntries(Object.entries(spec.selector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (Object.keys(labels).length === 0) continue;
    const selector = { namespace: standard?.namespace ?? (scopeGatewayToNamespace ? namespace : undefined), labels };
    byText.set(JSON.stringify(selector), selector);
  }
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, selector]) => selector);
}

/** A workload without a proxy, or of which none is known, that a Gateway selects is a gateway; one with a sidecar stays what it is. */
export function roleUnder(
  selectors: readonly GatewaySelector[],
  { role, namespace, labels, isPresumed = false }: Pick<WorkloadDraft, 'role' | 'namespace' | 'labels' | 'isPresumed'>,
): WorkloadRole {
  if (role !== 'none' && !isPresumed) return role;
  const isSelected = selectors.some(
    (selector) => (selector.namespace ?? namespace) === namespace && selects(selector.labels, labels),
  );
  return isSelected ? 'router' : role;
}

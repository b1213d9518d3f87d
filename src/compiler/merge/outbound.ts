import type { Service } from '../topology/model.ts';
import { isVisible } from '../topology/visibility.ts';
import type { Decided, EffectiveMtlsMode, EffectiveOutbound, EffectiveSubset, EffectiveTraffic } from './effective.ts';
import type { MergedRule } from './merged-rule.ts';
import { noOrigins, originOf } from './policy-order.ts';
import { effectiveTraffic } from './traffic.ts';

/** One service as the clients see it that the rule holds for. */
export function composeOutbound(
  service: Service,
  serviceMode: Decided<EffectiveMtlsMode>,
  rule: MergedRule | undefined,
): EffectiveOutbound {
  const whole: EffectiveSubset = {
    name: '',
    labels: {},
    traffic: trafficByPort(service, rule, undefined),
    origins:
      rule === undefined
        ? noOrigins
        : { decidedBy: rule.rules.map((it) => originOf(it, ['spec', 'host'])), overrode: [] },
  };
  const subsets = (rule?.subsets ?? []).map((subset): EffectiveSubset => {
    const shadowed = rule?.shadowedSubsets.filter(({ value }) => value.name === subset.value.name) ?? [];
    return {
      name: subset.value.name,
      labels: subset.value.labels ?? {},
      traffic: trafficByPort(service, rule, subset),
      origins: {
        decidedBy: [originOf(subset.rule, subset.path)],
        overrode: shadowed.map((other) => originOf(other.rule, other.path)),
      },
    };
  });
  return { service, subsets: [whole, ...subsets], serviceMode };
}

/**
 * What a client namespace sees of services that are oldest first: one service a host, its own namespace's where there is one, else the
 * cluster's, else the oldest. Only what is wanted is looked at.
 */
export function visibleServices(
  services: readonly Service[],
  namespace: string,
  isWanted: (service: Service) => boolean = () => true,
): Service[] {
  const byHost = new Map<string, Service>();
  for (const service of services) {
    if (!isVisible(service.exportTo, service.namespace, namespace) || !isWanted(service)) continue;
    const other = byHost.get(service.host);
    if (other === undefined || rankFor(namespace, service) < rankFor(namespace, other)) {
      byHost.set(service.host, service);
    }
  }
  const chosen = new Set(byHost.values());
  return services.filter((service) => chosen.has(service));
}

function rankFor(client: string, { namespace, kind }: Service): number {
  if (namespace === client) return 0;
  return kind === 'Service' ? 1 : 2;
}

function trafficByPort(
  service: Service,
  rule: MergedRule | undefined,
  subset: MergedRule['subsets'][number] | undefined,
): Map<number, EffectiveTraffic> {
  return new Map(service.ports.map(({ number }) => [number, effectiveTraffic(rule, subset, number)]));
}

import type { Settings } from '../../../config/settings.ts';
import { labelKeyAlias } from '../../../policy/alias.ts';
import type { LocalityLoadBalancing, TrafficBlocks } from '../../../policy/destination-rule.ts';
import type { ClusterType } from '../../ir/cluster.ts';
import type { ClientScope, EffectiveSubset } from '../../merge/effective.ts';
import { parseLocality } from '../../topology/locality.ts';

/** How one client spreads its load over the localities of one cluster's endpoints. */
export type LocalityBalancing =
  /** Localities play no part. */
  | { readonly kind: 'none' }
  /** Each locality by the weight of its endpoints, all of the first priority. */
  | { readonly kind: 'weighted' }
  /** Percent by locality pattern; localities that no pattern names get nothing. */
  | { readonly kind: 'shares'; readonly shares: Readonly<Record<string, number>> }
  /** The nearest first, the others as the nearer fail. */
  | {
      readonly kind: 'priorities';
      /** Labels and the values that the client wants there, most important first. */
      readonly labels: readonly (readonly [key: string, value: string])[];
      /** The client's own; undefined where labels alone decide. */
      readonly locality: string | undefined;
      /** Region that takes over from the client's. */
      readonly failoverTo: string | undefined;
    };

const none: LocalityBalancing = { kind: 'none' };
const weighted: LocalityBalancing = { kind: 'weighted' };

/**
 * Shares go before priorities. Priorities need outlier detection: without ejected endpoints nothing fails over, and
 * weights of localities would only skew the balance.
 */
export function localityBalancing(
  blocks: TrafficBlocks,
  type: ClusterType,
  scope: Pick<ClientScope, 'locality' | 'labels'>,
  settings: Settings,
): LocalityBalancing {
  const setting = settingInForce(blocks, settings);
  if (type === 'original-dst' || setting === undefined) return none;
  const whole = blocks.outlierDetection === undefined ? none : weighted;
  if (setting.distribute !== undefined) {
    const own = setting.distribute.find(({ from }) => matchesLocality(from, scope.locality));
    return own === undefined ? whole : { kind: 'shares', shares: own.to };
  }
  return blocks.outlierDetection === undefined ? none : priorities(setting, scope);
}

/** Tells clients apart that spread their load otherwise over one service or subset; empty for nearly all. */
export function localityLabel(
  { traffic }: EffectiveSubset,
  scope: Pick<ClientScope, 'locality' | 'labels'>,
  settings: Settings,
): string {
  let label = '';
  for (const [port, { blocks }] of traffic) {
    const balancing = localityBalancing(blocks, 'static', scope, settings);
    if (balancing.kind !== 'none') label += ` ${port} ${JSON.stringify(balancing)}`;
  }
  return label;
}

/** True when a locality lies in `region`, `region/zone`, `region/zone/subzone`; `*` stands for any part. */
export function matchesLocality(pattern: string, locality: string | undefined): boolean {
  const wanted = parseLocality(pattern);
  const { region, zone, subZone } = parseLocality(locality ?? '');
  const isOpen = (part: string): boolean => part === '' || part === '*';
  return (
    (wanted.region === '*' || wanted.region === region) &&
    (isOpen(wanted.zone) || wanted.zone === zone) &&
    (isOpen(wanted.subZone) || wanted.subZone === subZone)
  );
}

/** A rule's setting takes the place of the mesh's as a whole, and is on unless it says otherwise. */
function settingInForce(
  { loadBalancer }: TrafficBlocks,
  { localityLoadBalancing, localityRules }: Settings,
): LocalityLoadBalancing | undefined {
  const own = loadBalancer?.localityLbSetting;
  if (own !== undefined) return own.enabled === false ? undefined : own;
  return localityLoadBalancing ? localityRules : undefined;
}

function priorities(
  { failoverPriority = [], failover = [] }: LocalityLoadBalancing,
  { locality, labels }: Pick<ClientScope, 'locality' | 'labels'>,
): LocalityBalancing {
  const wanted = failoverPriority.map((text): [string, string] => {
    const [key = '', value] = text.split('=');
    const label = labelKeyAlias(key);
    return [label, value ?? labels[label] ?? ''];
  });
  // Labels alone decide, unless the regions' order is written down too.
  const isByLocality = locality !== undefined && (wanted.length === 0 || failover.length > 0);
  if (!isByLocality) return wanted.length === 0 ? weighted : { ...noRegions, labels: wanted };
  const { region } = parseLocality(locality);
  const failoverTo = failover.find(({ from }) => from === region)?.to;
  return { kind: 'priorities', labels: wanted, locality, failoverTo };
}

const noRegions = { kind: 'priorities', locality: undefined, failoverTo: undefined } as const;

import { defaultSettings } from '../../../../config/defaults.ts';
import type { HostFacts } from '../../../../config/host-facts.ts';
import type { Settings } from '../../../../config/settings.ts';
import { DiagnosticBag } from '../../../../diagnostics/bag.ts';
import type { TrafficBlocks } from '../../../../policy/destination-rule.ts';
import {
  clientScope,
  effectiveOutbound,
  endpoint,
  endpointsOf,
  meshService,
  type ServiceFields,
} from '../../../../testing/topology.ts';
import type { ClientScope, EffectiveMtlsMode } from '../../../merge/effective.ts';
import { Memo } from '../../memo.ts';
import { assignments } from '../assignments.ts';
import { serviceClusters } from '../service-clusters.ts';

/** What the clusters of one service are made of: the service, its rule, the mode of its namespace, who asks. */
export interface Options {
  readonly service?: ServiceFields;
  readonly rule?: TrafficBlocks;
  readonly mode?: EffectiveMtlsMode;
  readonly settings?: Partial<Settings>;
  readonly host?: Pick<HostFacts, 'memoryLimitBytes' | 'descriptorLimit'>;
  readonly scope?: Partial<ClientScope>;
  readonly subsets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Host of the service. */
export const host = 'httpbin.a.svc.cluster.local';

/** SPIFFE id of an account in the service's namespace. */
export const identity = (account: string, trustDomain = 'cluster.local') =>
  `spiffe://${trustDomain}/ns/a/sa/${account}`;

/** An endpoint with a sidecar, of version `v1`, and one without, of version `v2`. */
export const withSidecar = endpoint('10.1.0.1', {
  hasSidecar: true,
  identity: identity('x'),
  labels: { version: 'v1' },
});
export const without = endpoint('10.1.0.2', { identity: identity('x'), labels: { version: 'v2' } });

/** Lowers the clusters of the service, with the endpoints that are assigned to them; `first` is that of no subset. */
export function clustersOf({ service, rule, settings, host: machine, scope, ...options }: Options = {}) {
  const outbound = effectiveOutbound(meshService('a/httpbin', { endpoints: [withSidecar], ...service }), rule, options);
  const host = machine && { ...machine, addresses: [], labels: {}, annotations: {}, metadata: {} };
  const lowering = { settings: { ...defaultSettings, ...settings }, memo: new Memo(), host };
  const bag = new DiagnosticBag();
  const parts = serviceClusters(outbound, clientScope(scope), lowering, bag);
  const lowered = parts.flatMap((part) => part.clusters);
  const { endpoints, places, conflicts } = assignments(lowered, endpointsOf([outbound.service]));
  const clusters = lowered.map((cluster) => ({
    ...cluster,
    endpoints: cluster.endpoints ?? endpoints[places.get(cluster.name) ?? -1],
  }));
  const [first] = clusters;
  if (first === undefined) throw new Error('no cluster');
  return {
    clusters,
    conflicts: [...parts.flatMap((part) => part.conflicts), ...conflicts],
    diagnostics: bag.all,
    first,
  };
}

import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { DestinationRule } from '../../../policy/destination-rule.ts';
import type { PeerAuthentication } from '../../../policy/peer-authentication.ts';
import { noPolicies } from '../../../policy/policy-set.ts';
import type { TopologyObject } from '../../../policy/topology-kinds.ts';
import * as make from '../../../testing/objects.ts';
import type { Workload } from '../../topology/model.ts';
import { resolveTopology } from '../../topology/resolve.ts';
import type { ClientScope, Effective } from '../effective.ts';
import { clientScope, merge } from '../merge.ts';

/** Builders of the two kinds of policy that these tests merge. */
export const peer = make.peerAuthentication;
export const rule = make.destinationRule;

const app = { app: 'web' };

/** Selects `shop/web`, and the gateway of the root namespace. */
export const selector = { matchLabels: app };

/** A workload with a service and one without in `shop`, a client in `home`, a gateway in the root namespace. */
export const shopObjects: readonly TopologyObject[] = [
  make.pod({ name: 'shop/web', labels: app }, '10.0.0.1'),
  make.pod({ name: 'shop/other', labels: { app: 'other' } }, '10.0.0.2'),
  make.pod({ name: 'home/client', labels: { app: 'client', tier: 'front' } }, '10.0.1.1'),
  make.pod({ name: 'mesh-system/gateway', labels: app }, '10.0.2.1', {
    containers: [{ name: 'mesh-proxy', args: ['proxy', 'router'] }],
  }),
  make.service('shop/web', {
    selector: app,
    ports: [
      { name: 'http', port: 80, targetPort: 8090 },
      { name: 'tcp', port: 81 },
    ],
  }),
];

/** Host of the service `shop/web`. */
export const host = 'web.shop.svc.cluster.local';

interface Policies {
  readonly peers?: readonly PeerAuthentication[];
  readonly rules?: readonly DestinationRule[];
  readonly objects?: readonly TopologyObject[];
  readonly settings?: Partial<Settings>;
}

/** Merges policies for a topology; `compile` merges again with some of them changed, from a previous result if given. */
export function mergeBench({ peers = [], rules = [], objects = shopObjects, settings: changes = {} }: Policies) {
  const settings = { ...defaultSettings, ...changes };
  const topology = resolveTopology(objects, settings, new DiagnosticBag());
  const workload = (name: string): Workload => {
    const found = topology.workloads.find((it) => `${it.namespace}/${it.name}` === name);
    if (found === undefined) throw new Error(`no workload ${name}`);
    return found;
  };
  const compile = (changed: Policies = {}, previous?: Effective) => {
    const bag = new DiagnosticBag();
    const destinationRules = changed.rules ?? rules;
    const peerAuthentications = changed.peers ?? peers;
    const input = { ...noPolicies, peerAuthentications, destinationRules, topology, settings };
    const effective = merge(input, bag, previous);
    const scope = (name: string): ClientScope => clientScope(workload(name), settings, { destinationRules });
    const diagnostics = bag.all.map(({ code, span }) => `${code} ${span?.file}`);
    return { effective, diagnostics, scope, outbound: (name: string) => effective.outbound(scope(name)) };
  };
  return { workload, topology, compile };
}

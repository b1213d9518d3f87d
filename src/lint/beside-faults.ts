import type { Snapshot } from '../compiler/snapshot.ts';
import { topologyKinds } from '../compiler/topology/lists.ts';
import type { Topology } from '../compiler/topology/model.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import { diagnosticFindings } from './diagnostic-findings.ts';
import type { Finding } from './finding.ts';
import type { RuleContext, RunnableRule } from './rule.ts';

type Kinds = readonly string[];

const kindOf: Readonly<Record<keyof PolicySet, string>> = {
  peerAuthentications: 'PeerAuthentication',
  requestAuthentications: 'RequestAuthentication',
  authorizationPolicies: 'AuthorizationPolicy',
  destinationRules: 'DestinationRule',
  gateways: 'Gateway',
  proxyConfigs: 'ProxyConfig',
  virtualServices: 'VirtualService',
  sidecars: 'Sidecar',
};
/** Services, with the endpoints that are made of workloads. */
const ofServices: Kinds = topologyKinds;
/** A pod that a Gateway selects is a gateway. */
const ofWorkloads: Kinds = [...topologyKinds, 'Gateway'];
const every: Kinds = [...topologyKinds, ...Object.values(kindOf)];

const ofTopology: Partial<Record<keyof Topology, Kinds>> = {
  // That a namespace is there, a faulty object tells as well as a sound one.
  namespaces: ['Namespace'],
  unseenIn: [],
  services: ofServices,
};

/** Of which kinds the answers of merging are made, beside the workloads; the others are of all. */
const ofAnswers: Partial<Record<keyof Snapshot['effective'], Kinds>> = {
  inbound: ['PeerAuthentication', 'Sidecar'],
  ingress: ['Sidecar'],
  requestAuthentications: ['RequestAuthentication'],
  authorizationPolicies: ['AuthorizationPolicy'],
  gateways: ['Gateway'],
  proxyConfigs: ['ProxyConfig'],
};

/**
 * The rule for an input of which some objects are faulty and left out: its findings count only if it has read nothing that
 * those would be a part of. So it can neither miss what they would add, nor take what they have for absent. Where it judges
 * each object by itself, the list of these objects lacks nothing but what it would say of the faulty ones. `onSilent` is told where the
 * findings do not count.
 */
export function besideFaults(rule: RunnableRule, faulty: ReadonlySet<string>, onSilent?: () => void): RunnableRule {
  const check = ({ snapshot, report, skip }: RuleContext): void => {
    const read = new Set<string>();
    const found: Parameters<RuleContext['report']>[0][] = [];
    rule.check({ snapshot: reading(snapshot, read), report: (sighting) => void found.push(sighting), skip });
    const own: Kinds = rule.judges === 'each' ? rule.kinds : [];
    if ([...read].some((kind) => faulty.has(kind) && !own.includes(kind))) onSilent?.();
    else for (const sighting of found) report(sighting);
  };
  return { ...rule, check };
}

/** The snapshot, which notes the kinds of what is read of it; made for each rule anew, as what is remembered is not read again. */
function reading(snapshot: Snapshot, read: Set<string>): Snapshot {
  const note = (kinds: Kinds): void => {
    for (const kind of kinds) read.add(kind);
  };
  const noted: Partial<Record<keyof Snapshot, Kinds>> = { settings: [], decidedRoot: [] };
  const topology = new Proxy(snapshot.topology, {
    get(target, field: keyof Topology) {
      note(ofTopology[field] ?? ofWorkloads);
      return target[field];
    },
  });
  const policies = new Proxy(snapshot.policies, {
    get(target, field: keyof PolicySet) {
      note([kindOf[field]]);
      return target[field];
    },
  });
  const effective = new Proxy(snapshot.effective, {
    get(target, field: keyof Snapshot['effective']) {
      note([...ofWorkloads, ...(ofAnswers[field] ?? every)]);
      const answer: unknown = target[field];
      return typeof answer === 'function' ? answer.bind(target) : answer;
    },
  });
  return new Proxy(snapshot, {
    get(target, field: keyof Snapshot) {
      if (field === 'policies') return policies;
      if (field === 'topology') return topology;
      if (field === 'effective') return effective;
      note(noted[field] ?? every);
      return target[field];
    },
  });
}

/** What analysis says of one policy, and what it takes for absent, or reads of others, to say so. */
const restsOn: Readonly<Record<string, Kinds>> = {
  'egress-host-without-service': ofServices,
  'gateway-without-workload': ofWorkloads,
  'host-without-service': ofServices,
  'policy-in-force-nowhere': ofWorkloads,
  'port-without-service': [...ofWorkloads, 'Sidecar'],
  'routes-without-port': ofServices,
  'selector-in-root-namespace': [],
  'selector-without-workload': ofWorkloads,
  'unknown-destination': ofServices,
  'unknown-gateway': ['Gateway'],
  'unknown-host': ofServices,
  'unknown-service-port': ofServices,
};

/** What analysis said of the sound objects that the faulty ones could not make untrue. */
export function findingsBesideFaults(snapshot: Snapshot, faulty: ReadonlySet<string>): readonly Finding[] {
  return diagnosticFindings(snapshot).filter(({ code }) => restsOn[code]?.every((kind) => !faulty.has(kind)) === true);
}

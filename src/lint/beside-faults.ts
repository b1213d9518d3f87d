import type { Snapshot } from '../compiler/snapshot.ts';
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
const every: Kinds = Object.values(kindOf);
/** A pod that a Gateway selects is a gateway. */
const ofTopology: Kinds = ['Gateway'];

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
 * The rule for an input of which some policies are faulty and left out: its findings count only if it has read nothing that
 * those would be a part of. So it can neither miss what they would add, nor take what they have for absent.
 */
export function besideFaults(rule: RunnableRule, faulty: ReadonlySet<string>): RunnableRule {
  const check = ({ snapshot, report, skip }: RuleContext): void => {
    const read = new Set<string>();
    const found: Parameters<RuleContext['report']>[0][] = [];
    rule.check({ snapshot: reading(snapshot, read), report: (sighting) => void found.push(sighting), skip });
    if ([...read].some((kind) => faulty.has(kind))) return;
    for (const sighting of found) report(sighting);
  };
  return { ...rule, check };
}

/** The snapshot, which notes the kinds of what is read of it; made for each rule anew, as what is remembered is not read again. */
function reading(snapshot: Snapshot, read: Set<string>): Snapshot {
  const note = (kinds: Kinds): void => {
    for (const kind of kinds) read.add(kind);
  };
  const noted: Partial<Record<keyof Snapshot, Kinds>> = { settings: [], decidedRoot: [], topology: ofTopology };
  const policies = new Proxy(snapshot.policies, {
    get(target, field: keyof PolicySet) {
      note([kindOf[field]]);
      return target[field];
    },
  });
  const effective = new Proxy(snapshot.effective, {
    get(target, field: keyof Snapshot['effective']) {
      note([...ofTopology, ...(ofAnswers[field] ?? every)]);
      const answer: unknown = target[field];
      return typeof answer === 'function' ? answer.bind(target) : answer;
    },
  });
  return new Proxy(snapshot, {
    get(target, field: keyof Snapshot) {
      if (field === 'policies') return policies;
      if (field === 'effective') return effective;
      note(noted[field] ?? every);
      return target[field];
    },
  });
}

/** What analysis says of one policy by the workloads and services of the input, and by these kinds. */
const restsOn: Readonly<Record<string, Kinds>> = {
  'egress-host-without-service': [],
  'gateway-without-workload': ofTopology,
  'policy-in-force-nowhere': ofTopology,
  'routes-without-port': [],
  'selector-without-workload': ofTopology,
  'unknown-destination': [],
  'unknown-gateway': ['Gateway'],
  'unknown-host': [],
  'unknown-service-port': [],
};

/** What analysis said of the sound objects that the faulty ones could not make untrue. */
export function findingsBesideFaults(snapshot: Snapshot, faulty: ReadonlySet<string>): readonly Finding[] {
  return diagnosticFindings(snapshot).filter(({ code }) => restsOn[code]?.every((kind) => !faulty.has(kind)) === true);
}

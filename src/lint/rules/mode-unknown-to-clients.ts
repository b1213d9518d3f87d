import type { Snapshot } from '../../compiler/snapshot.ts';
import type { ServiceTarget, Workload } from '../../compiler/topology/model.ts';
import { hasLabels } from '../../compiler/topology/selector.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { MtlsMode, PeerAuthentication } from '../../policy/peer-authentication.ts';
import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';
import { decidingScopes } from '../tls/deciding-scopes.ts';
import { hostOf } from '../tls/served-ports.ts';

/** A mode of a policy with a selector, and where it is written. */
interface WrittenMode {
  readonly mode: MtlsMode;
  readonly path: JsonPath;
  /** Container port; undefined for every port without an entry of its own. */
  readonly port: number | undefined;
}

/** Clients choose mutual TLS by the mode of the namespace: they do not know of an exception for some workloads. */
export const rule: Rule = {
  code: 'mode-unknown-to-clients',
  id: 'MP203',
  severity: 'info',
  category: 'peer-authentication',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['PeerAuthentication'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a mode of some workloads that contradicts what clients send automatically',
  why: 'here automatic mutual TLS goes by the mode of the namespace of the service, and not by that of each workload as in Istio, so clients with a sidecar send what these workloads refuse',
  hint: 'add a DestinationRule for the service that sets "tls" for the port, or write PERMISSIVE',
  check({ snapshot, report }) {
    if (!snapshot.settings.autoMtls) return;
    const workloads = workloadsByLabels(snapshot.topology);
    const chosen = new ChosenByHand(snapshot);
    const scopes = decidingScopes(snapshot.policies.peerAuthentications);
    for (const policy of snapshot.policies.peerAuthentications) {
      const { namespace, spec } = policy;
      if (!hasLabels(spec.selector) || namespace === snapshot.settings.rootNamespace) continue;
      const selected = workloads.select(namespace, spec.selector?.matchLabels).filter(({ role }) => role === 'sidecar');
      for (const written of modesOf(policy)) {
        const wanted = (target: ServiceTarget): boolean => {
          const scope = scopes.get(target.service.namespace) ?? scopes.get(snapshot.settings.rootNamespace);
          return contradicts(written.mode, scope?.spec.mtls?.mode) && !chosen.has(target.service.host);
        };
        const found = findTarget(selected, written, snapshot, wanted);
        if (found === undefined) continue;
        const sent = written.mode === 'DISABLE' ? 'mutual TLS' : 'plain text';
        report({
          ...{ object: policy, path: written.path },
          message: `clients of "${found.service.host}" send ${sent} to port ${found.port.number}, which mode ${written.mode} refuses`,
        });
      }
    }
  },
};

function modesOf({ spec: { mtls, portLevelMtls = {} } }: PeerAuthentication): readonly WrittenMode[] {
  const ports = Object.entries(portLevelMtls).map(([port, { mode = 'UNSET' }]) => ({
    ...{ mode, path: ['spec', 'portLevelMtls', port, 'mode'], port: Number(port) },
  }));
  return [{ mode: mtls?.mode ?? 'UNSET', path: ['spec', 'mtls', 'mode'], port: undefined }, ...ports];
}

/** Whether clients that go by the mode of the scope send what the written mode refuses. */
function contradicts(mode: MtlsMode, scope: MtlsMode = 'PERMISSIVE'): boolean {
  return mode === 'DISABLE' ? scope !== 'DISABLE' : mode === 'STRICT' && scope === 'DISABLE';
}

/** A service port that the mode is in force for. */
function findTarget(
  workloads: readonly Workload[],
  { mode, port }: WrittenMode,
  { effective }: Snapshot,
  isWanted: (target: ServiceTarget) => boolean,
): ServiceTarget | undefined {
  for (const workload of workloads) {
    const inbound = effective.inbound(workload);
    const found = workload.targets.find((target) => {
      const own = inbound.ports.get(target.targetPort);
      const inForce = port === undefined ? own === undefined && inbound.mode : target.targetPort === port && own;
      return inForce !== false && inForce?.value === mode && !target.service.isExternal && isWanted(target);
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The hosts for which a DestinationRule says what clients send; a pattern stands for all that it may match. */
class ChosenByHand {
  readonly #hosts: ReadonlySet<string>;
  readonly #endings: readonly string[];

  constructor(snapshot: Snapshot) {
    const choosing = snapshot.policies.destinationRules.filter(setsTls).map((rule) => hostOf(rule, snapshot));
    this.#hosts = new Set(choosing);
    this.#endings = [...this.#hosts].filter((host) => host.startsWith('*')).map((host) => host.slice(1));
  }

  has(host: string): boolean {
    return this.#hosts.has(host) || this.#endings.some((ending) => host.endsWith(ending));
  }
}

function setsTls(rule: DestinationRule): boolean {
  const ofSubset = rule.spec.subsets?.some(({ trafficPolicy: own }) => own?.tls ?? own?.portLevelSettings) ?? false;
  return ofSubset || [...clientTlsOf([rule])].length > 0;
}

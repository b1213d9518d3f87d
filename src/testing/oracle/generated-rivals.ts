import type { Dice } from '../dice.ts';
import { type MeshPod, pods, rootNamespace } from '../generated-mesh.ts';
import type { GeneratedPolicy } from '../generated-policies.ts';

/** Hosts of which each covers the one before it, in the pools where clients look for rules. */
const nested = {
  web: ['web.a.svc.cluster.local', '*.a.svc.cluster.local', '*.svc.cluster.local', '*.local'],
  api: ['api.b.svc.cluster.local', '*.b.svc.cluster.local', '*.cluster.local', '*.local'],
} as const;

const modes = ['DISABLE', 'MESH_MUTUAL'] as const;

/**
 * DestinationRules that compete for the same clients and services and want different transports: of hosts that lie within one
 * another, or of one host and different ages. Rules made independently seldom do both.
 */
export function generatedRivals(dice: Dice): readonly GeneratedPolicy[] {
  const service = dice.pick(['web', 'api'] as const);
  const own = service === 'web' ? 'a' : 'b';
  const namespace = dice.pick([own, own, 'a', 'c', rootNamespace]);
  const hosts = nested[service];
  const isAged = dice.chance(50);
  const first = dice.below(isAged ? hosts.length : hosts.length - 1);
  const second = isAged ? first : first + 1 + dice.below(hosts.length - first - 1);
  const start = dice.below(modes.length);
  const scope = dice.chance(20) ? { workloadSelector: { matchLabels: labelsOf(dice, namespace) } } : {};
  // Neither order of names and ages is that of the hosts.
  const flip = dice.below(2);
  return [first, second].map((host, i) => ({
    kind: 'DestinationRule',
    metadata: {
      name: `rival-${(i + flip) % 2}`,
      namespace,
      ...(isAged && { creationTimestamp: `2024-01-0${1 + ((i + dice.below(2)) % 2)}T00:00:00Z` }),
    },
    spec: { host: hosts[host], ...scope, trafficPolicy: { tls: { mode: modes[(start + i) % modes.length] } } },
  }));
}

function labelsOf(dice: Dice, namespace: string): MeshPod['labels'] {
  const own = pods.filter((pod) => pod.namespace === namespace);
  const app = own.length === 0 ? 'nobody' : (dice.pick(own).labels.app ?? 'nobody');
  return { app };
}

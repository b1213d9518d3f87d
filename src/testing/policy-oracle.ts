import { hosts, type MeshHost, type MeshPod, rootNamespace } from './generated-mesh.ts';
import type { GeneratedPolicy } from './generated-policies.ts';

export type Mode = 'STRICT' | 'PERMISSIVE' | 'DISABLE';
export type Transport = 'plaintext' | 'mesh' | 'automatic' | 'external';

type Labels = Readonly<Record<string, string>>;

/** What a pod accepts on a container port, or on every other port (`undefined`), by brute force over all policies. */
export function acceptedMode(all: readonly GeneratedPolicy[], pod: MeshPod, port: number | undefined): Mode {
  const peers = oldestFirst(all.filter(({ kind }) => kind === 'PeerAuthentication'));
  const workload = workloadPolicy(peers, pod);
  const own = port === undefined ? undefined : workload?.spec.portLevelMtls?.[port]?.mode;
  return set(own) ?? set(workload?.spec.mtls?.mode) ?? namespaceMode(peers, pod.namespace);
}

/** The policy that selects the pod and is in force on it. */
export function workloadPolicy(all: readonly GeneratedPolicy[], pod: MeshPod): GeneratedPolicy | undefined {
  return oldestFirst(all).find(
    ({ kind, metadata, spec }) =>
      kind === 'PeerAuthentication' &&
      spec.selector !== undefined &&
      metadata.namespace === pod.namespace &&
      metadata.namespace !== rootNamespace &&
      hasAll(pod.labels, spec.selector.matchLabels),
  );
}

/** What a namespace's policies and the mesh's say of all its workloads. */
function namespaceMode(peers: readonly GeneratedPolicy[], namespace: string): Mode {
  const whole = (wanted: string) =>
    peers.find(({ metadata, spec }) => metadata.namespace === wanted && spec.selector === undefined)?.spec.mtls?.mode;
  return set(whole(namespace)) ?? set(whole(rootNamespace)) ?? 'PERMISSIVE';
}

function set(mode: Mode | 'UNSET' | undefined): Mode | undefined {
  return mode === 'UNSET' ? undefined : mode;
}

/** The rules that a client follows towards a host, oldest first; none when no pool has one that it sees. */
export function rulesInForce(all: readonly GeneratedPolicy[], client: MeshPod, host: MeshHost): GeneratedPolicy[] {
  const rules = oldestFirst(all.filter(({ kind }) => kind === 'DestinationRule'));
  const selecting = rules.filter(
    ({ metadata, spec }) =>
      spec.workloadSelector !== undefined &&
      metadata.namespace === client.namespace &&
      hasAll(client.labels, spec.workloadSelector.matchLabels),
  );
  const [first] = mostSpecific(selecting, host);
  if (first !== undefined) {
    const wanted = JSON.stringify(Object.entries(first.spec.workloadSelector.matchLabels).sort());
    return mostSpecific(selecting, host).filter(
      ({ spec }) => JSON.stringify(Object.entries(spec.workloadSelector.matchLabels).sort()) === wanted,
    );
  }
  const others = rules.filter(({ spec }) => spec.workloadSelector === undefined);
  const sees = (rule: GeneratedPolicy): boolean => isExported(rule, client.namespace);
  const own = others.filter(
    (rule) =>
      rule.metadata.namespace === client.namespace &&
      sees(rule) &&
      (client.namespace !== rootNamespace || isHome(rule)),
  );
  if (mostSpecific(own, host).length > 0) return mostSpecific(own, host);
  for (const namespace of [host.namespace, rootNamespace]) {
    const shared = others.filter((rule) => rule.metadata.namespace === namespace && !isHome(rule));
    const found = mostSpecific(shared, host).filter(sees);
    if (found.length > 0) return found;
  }
  return [];
}

function isExported({ metadata, spec }: GeneratedPolicy, client: string): boolean {
  const exportTo: readonly string[] = spec.exportTo ?? ['*'];
  return exportTo.some(
    (entry) => entry === '*' || entry === client || (entry === '.' && metadata.namespace === client),
  );
}

/** Nobody but its own namespace sees the rule. */
function isHome({ metadata, spec }: GeneratedPolicy): boolean {
  const exportTo: readonly string[] = spec.exportTo ?? ['*'];
  return exportTo.every((entry) => entry === '.' || entry === metadata.namespace);
}

/** The rules of the longest host that covers the service; plain names before wildcards. */
function mostSpecific(rules: readonly GeneratedPolicy[], { host }: MeshHost): GeneratedPolicy[] {
  const covering = rules.filter((rule) => covers(fullHost(rule), host));
  const rank = (name: string): number => (name === host ? 1000 : name.length);
  const best = Math.max(0, ...covering.map((rule) => rank(fullHost(rule))));
  return covering.filter((rule) => rank(fullHost(rule)) === best);
}

function fullHost({ metadata, spec }: GeneratedPolicy): string {
  return spec.host.includes('.') ? spec.host : `${spec.host}.${metadata.namespace}.svc.cluster.local`;
}

function covers(pattern: string, host: string): boolean {
  return pattern === host || (pattern.startsWith('*') && host.endsWith(pattern.slice(1)));
}

/** The TLS that a client speaks to one port of a host and a subset of it (empty for the whole), by the decision table. */
export function clientTransport(all: readonly GeneratedPolicy[], client: MeshPod, target: Target): Transport {
  return clientTls(all, client, target).transport;
}

interface Target {
  readonly host: MeshHost;
  readonly port: number;
  readonly subset: string;
}

/** The same with what a rule says of mutual TLS: the server name, and the names that the server's certificate may have. */
export function clientTls(
  all: readonly GeneratedPolicy[],
  client: MeshPod,
  { host, port, subset }: Target,
): { readonly transport: Transport; readonly sni?: string; readonly subjectAltNames?: readonly string[] } {
  const rules = rulesInForce(all, client, host);
  const block = (name: string): unknown => {
    const whole = rules.find(({ spec }) => spec.trafficPolicy !== undefined)?.spec.trafficPolicy;
    const owned = rules.flatMap(({ spec }) => spec.subsets ?? []).find((each) => each.name === subset)?.trafficPolicy;
    return atPort(owned, name, port, () => atPort(whole, name, port, () => undefined));
  };
  const { mode, ...rest } = (block('tls') ?? {}) as { mode?: string; sni?: string; subjectAltNames?: string[] };
  if (mode === 'DISABLE') return { transport: 'plaintext' };
  if (mode === 'MESH_MUTUAL') return { transport: 'mesh', ...rest };
  if (mode !== undefined) return { transport: 'external' };
  if (host.kind.startsWith('external')) return { transport: 'plaintext' };
  const peers = oldestFirst(all.filter(({ kind }) => kind === 'PeerAuthentication'));
  if (namespaceMode(peers, host.namespace) === 'DISABLE') return { transport: 'plaintext' };
  const goesWhereAsked =
    host.kind === 'headless' || (block('loadBalancer') as { simple?: string })?.simple === 'PASSTHROUGH';
  if (!goesWhereAsked) return { transport: 'automatic' };
  return { transport: host.isMesh ? 'mesh' : 'plaintext' };
}

/** A block of one level for a port: an entry for the port stands for all blocks, also those that it leaves out. */
// biome-ignore lint/suspicious/noExplicitAny: a traffic policy as the test wrote it
function atPort(policy: any, name: string, port: number, wider: () => unknown): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const entry = policy?.portLevelSettings?.find((each: any) => each.port.number === port);
  return entry === undefined ? (policy?.[name] ?? wider()) : entry[name];
}

function oldestFirst(all: readonly GeneratedPolicy[]): GeneratedPolicy[] {
  const key = ({ metadata }: GeneratedPolicy): string =>
    `${metadata.creationTimestamp ?? 'not yet'} ${metadata.name}.${metadata.namespace}`;
  return [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function hasAll(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** Hosts that a rule's host covers. */
export function coveredHosts(rule: GeneratedPolicy): MeshHost[] {
  return hosts.filter(({ host }) => covers(fullHost(rule), host));
}

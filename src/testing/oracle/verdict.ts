import { type MeshHost, type MeshPod, rootNamespace } from '../generated-mesh.ts';
import type { GeneratedPolicy } from '../generated-policies.ts';
import { acceptedMode, clientTls, rulesInForce } from '../policy-oracle.ts';
import { matchingRules, type Seen, type TrustDomains } from './access.ts';
import { type AccessPolicy, isAbout, type TokenPolicy } from './intent.ts';
import { judgeToken, type SentToken } from './tokens.ts';

/** All policies of a mesh, and what else decides about its requests. */
export interface Intents {
  /** PeerAuthentications and DestinationRules. */
  readonly transport: readonly GeneratedPolicy[];
  readonly access: readonly AccessPolicy[];
  readonly tokens: readonly TokenPolicy[];
  readonly trustDomains: TrustDomains;
  /** In seconds. */
  readonly now: number;
}

/** A request or a connection on its way to a workload with a sidecar. */
export interface Question {
  readonly client:
    | { readonly kind: 'pod'; readonly pod: MeshPod; readonly address: string }
    | { readonly kind: 'stranger'; readonly address: string; readonly identity: string | undefined };
  /** The service that the client calls, and the port of it; absent: it calls a workload by its address. */
  readonly service?: { readonly host: MeshHost; readonly port: number };
  readonly containerPort: number;
  /** Absent: bytes that are no HTTP. */
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly authority: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly token: SentToken | undefined;
  };
  /** What the external authorizer answers. */
  readonly authorizer: 'allow' | 'deny';
}

/** What becomes of it, by the words of the specification. */
export type Verdict =
  | { readonly kind: 'reaches' }
  /** Answered by the server's proxy; `rules`: one of them decides, `none` stands for no ALLOW rule. Absent: another filter. */
  | { readonly kind: 'refused'; readonly statuses: readonly number[]; readonly rules?: readonly string[] }
  /** The connection ends. */
  | { readonly kind: 'closed' }
  /** The specification says nothing of it. */
  | { readonly kind: 'unsaid' };

type PortClass = 'http' | 'tcp' | 'detected';

const classes: Readonly<Record<number, PortClass>> = { 8080: 'http', 9000: 'tcp', 8443: 'tcp', 5432: 'tcp' };

/** Verdict about a question that comes to this pod. */
export function verdictOf(intents: Intents, question: Question, server: MeshPod, address: string): Verdict {
  const transport = transportTo(intents, question, server);
  if (transport === 'foreign') return { kind: 'unsaid' };
  if (!server.hasSidecar) return { kind: transport === 'plaintext' ? 'reaches' : 'closed' };
  const { containerPort } = question;
  const isBound = server.ports.includes(containerPort);
  const mode = acceptedMode(intents.transport, server, isBound ? containerPort : undefined);
  if (transport === 'plaintext') {
    return mode === 'STRICT'
      ? { kind: 'closed' }
      : judge(intents, question, server, seenBy(question, address, undefined));
  }
  const portClass = isBound ? (classes[containerPort] ?? 'detected') : 'detected';
  // A sidecar's client expects the certificate of a server of the mesh; who expects none speaks to the application.
  if (mode === 'DISABLE') return { kind: portClass === 'http' || question.client.kind === 'pod' ? 'closed' : 'unsaid' };
  if (
    transport.expected?.includes(`spiffe://${intents.trustDomains[0]}/ns/${server.namespace}/sa/${server.name}`) ===
    false
  ) {
    return { kind: 'closed' };
  }
  const domain = transport.identity.split('/')[2] ?? '';
  if (!intents.trustDomains.includes(domain)) return { kind: 'closed' };
  const read = portClass === 'detected' && isForwardedAsBytes(intents, question) ? asBytes(question) : question;
  return judge(intents, read, server, seenBy(read, address, transport));
}

/**
 * Deviation, towards fewer requests: what a proxy offers for a detected port would tell servers outside of the mesh, which a
 * subset of the service has, of the mesh. So it offers nothing, and the server's proxy reads its requests as bytes.
 */
function isForwardedAsBytes({ transport }: Intents, { client, service }: Question): boolean {
  if (client.kind === 'stranger' || service === undefined) return false;
  const names: string[] = rulesInForce(transport, client.pod, service.host)
    .flatMap(({ spec }) => spec.subsets ?? [])
    .map(({ name }: { readonly name: string }) => name);
  return names.some((subset) => clientTls(transport, client.pod, { ...service, subset }).transport === 'external');
}

function asBytes({ request: _request, ...rest }: Question): Question {
  return rest;
}

interface Mutual {
  readonly identity: string;
  readonly serverName: string;
  /** Identities that the client expects of the server. */
  readonly expected?: readonly string[] | undefined;
}

/** What the client speaks: plaintext, mutual TLS of the mesh, or TLS that no proxy of the mesh ends. */
function transportTo(
  intents: Intents,
  { client, service }: Question,
  server: MeshPod,
): 'plaintext' | 'foreign' | Mutual {
  if (client.kind === 'stranger') {
    return client.identity === undefined ? 'plaintext' : { identity: client.identity, serverName: strangerServerName };
  }
  const { pod } = client;
  if (!pod.hasSidecar || service === undefined) return 'plaintext';
  const { host, port } = service;
  const { transport, sni, subjectAltNames } = clientTls(intents.transport, pod, { host, port, subset: '' });
  if (transport === 'external') return 'foreign';
  if (transport === 'plaintext' || (transport === 'automatic' && !server.hasSidecar)) return 'plaintext';
  return {
    identity: `spiffe://${intents.trustDomains[0]}/ns/${pod.namespace}/sa/${pod.name}`,
    serverName: sni ?? `outbound_.${port}_._.${host.host}`,
    expected: subjectAltNames,
  };
}

/** What a client outside of the mesh sends as server name. */
export const strangerServerName = 'stranger.example';

function seenBy(question: Question, address: string, transport: Mutual | undefined): Seen {
  const { client, containerPort, request } = question;
  const forwarded = request?.headers['x-forwarded-for']?.split(',').at(-1)?.trim();
  return {
    identity: transport?.identity,
    direct: client.address,
    remote: forwarded ?? client.address,
    destination: { address, port: containerPort },
    serverName: transport?.serverName ?? '',
    ...(request !== undefined && {
      http: { ...request, path: request.path.split('?')[0] ?? '', claims: undefined },
    }),
  };
}

/** By tokens and access rules, in their order. */
function judge(intents: Intents, { request, authorizer }: Question, server: MeshPod, seen: Seen): Verdict {
  const own = intents.tokens.filter((policy) => isAbout(policy, server, rootNamespace));
  const rules = own.flatMap(({ spec }) => spec.jwtRules);
  const verdict = judgeToken(rules, request?.token, intents.now);
  if (verdict.kind === 'refused') return verdict;
  const judged = seen.http === undefined ? seen : { ...seen, http: { ...seen.http, claims: verdict.claims } };
  const access = intents.access.filter((policy) => isAbout(policy, server, rootNamespace) && !isDry(policy));
  const matching = (action: string): readonly string[] =>
    access
      .filter(({ spec }) => (spec.action ?? 'ALLOW') === action)
      .flatMap((policy) => matchingRules(policy, judged, intents.trustDomains));
  const refused = (by?: readonly string[]): Verdict =>
    request === undefined ? { kind: 'closed' } : { kind: 'refused', statuses: [403], ...(by && { rules: by }) };
  if (authorizer === 'deny' && matching('CUSTOM').length > 0) return refused();
  const denying = matching('DENY');
  if (denying.length > 0) return refused(denying);
  const isAllowListed = access.some(({ spec }) => (spec.action ?? 'ALLOW') === 'ALLOW');
  return isAllowListed && matching('ALLOW').length === 0 ? refused(['none']) : { kind: 'reaches' };
}

function isDry({ metadata }: AccessPolicy): boolean {
  return metadata.annotations?.['mesh.io/dry-run'] === 'true';
}

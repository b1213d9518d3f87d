import type { AuthorizerSettings, Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { reportOnce } from '../../../diagnostics/report-once.ts';
import { nearest } from '../../../lib/nearest.ts';
import type { AuthorizationPolicy } from '../../../policy/authorization-policy.ts';
import type { Service } from '../../topology/model.ts';
import { isHttp2, protocolClass } from '../../topology/protocol.ts';
import { outboundCluster } from '../names.ts';

/** A provider as its CUSTOM policies ask it. */
export interface Authorizer {
  readonly name: string;
  readonly settings: AuthorizerSettings;
  /** The workload's own outbound cluster of the authorizer's service. */
  readonly cluster: string;
  readonly host: string;
}

/** Whose proxy asks. */
export interface AuthorizerClient {
  readonly namespace: string;
  /** What the workload sees; called only where a policy names a provider. */
  readonly services: () => readonly Service[];
}

/** The authorizers that the policies name, each once, sorted by name. A provider that cannot be asked is an error. */
export function authorizersOf(
  policies: readonly AuthorizationPolicy[],
  client: AuthorizerClient,
  settings: Settings,
  bag: DiagnosticBag,
): readonly Authorizer[] {
  const found = new Map<string, Authorizer>();
  for (const policy of policies) {
    const name = policy.spec.provider?.name;
    if (policy.spec.action !== 'CUSTOM' || name === undefined || found.has(name)) continue;
    const authorizer = authorizerOf(policy, name, client, settings, bag);
    if (authorizer !== undefined) found.set(name, authorizer);
  }
  return [...found.keys()].sort().flatMap((name) => found.get(name) ?? []);
}

function authorizerOf(
  policy: AuthorizationPolicy,
  name: string,
  client: AuthorizerClient,
  settings: Settings,
  bag: DiagnosticBag,
): Authorizer | undefined {
  const span = policy.document.spanOf(['spec', 'provider', 'name']);
  const provider = settings.extensionProviders.find((known) => known.name === name);
  if (provider === undefined) {
    const near = nearest(
      name,
      settings.extensionProviders.map((known) => known.name),
    );
    reportOnce(bag, 'unknown-provider', span, { name }, { hint: near && `did you mean "${near}"?` });
    return undefined;
  }
  const target = targetOf(provider.authorizer, client, settings);
  if (typeof target !== 'string') return { name, ...target };
  reportOnce(bag, 'unusable-provider', span, { name, reason: target });
  return undefined;
}

/** The cluster through which the authorizer is asked, or why there is none. */
function targetOf(
  asked: AuthorizerSettings | undefined,
  client: AuthorizerClient,
  settings: Settings,
): Omit<Authorizer, 'name'> | string {
  if (asked === undefined) return 'it has neither "envoyExtAuthzHttp" nor "envoyExtAuthzGrpc"';
  const [host = '', namespace] = asked.service.toLowerCase().split('/').reverse();
  const service = client.services().find((seen) => {
    return [seen, ...seen.aliases].some((it) => it.host === host && (namespace ?? it.namespace) === it.namespace);
  });
  if (service === undefined) return `namespace "${client.namespace}" sees no service "${asked.service}"`;
  const port = service.ports.find(({ number }) => number === asked.port);
  const expected = service.ports.map(({ number }) => number).join(' or ');
  if (port === undefined) return `"${host}" has no port ${asked.port}, expected ${expected}`;
  const protocol = `port ${port.number} of "${host}" has protocol ${port.protocol}`;
  if (asked.protocol === 'grpc' && !isHttp2(port.protocol)) return `${protocol}, expected grpc or http2`;
  if (protocolClass(port.protocol, settings.sniffOutbound) !== 'http') return `${protocol}, expected http`;
  return { settings: asked, host, cluster: outboundCluster(service.host, port.number) };
}

import type { AccessPolicy, AccessRule, Condition, Fields } from './intent.ts';
import { covers, isCanonical, nameOfAuthority, templateTakes } from './texts.ts';

/** A request or a connection as access rules see it at the server. */
export interface Seen {
  /** URI of the verified client certificate. */
  readonly identity: string | undefined;
  readonly direct: string;
  readonly remote: string;
  readonly destination: { readonly address: string; readonly port: number };
  readonly serverName: string;
  /** Absent for a connection that is not read as HTTP. */
  readonly http?: SeenRequest;
}

export interface SeenRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly authority: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the verified token. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
}

/** Trust domains that the mesh accepts, its own first. */
export type TrustDomains = readonly string[];

/**
 * Whether a match grants or refuses: where one spelling is not sure to be another, what refuses takes both for the same, and
 * what grants does not.
 */
type Side = 'grants' | 'refuses';

/** Names of the policies' rules that match, as Envoy's access log names them. */
export function matchingRules(policy: AccessPolicy, seen: Seen, trustDomains: TrustDomains): readonly string[] {
  const { metadata, spec } = policy;
  const side: Side = (spec.action ?? 'ALLOW') === 'ALLOW' ? 'grants' : 'refuses';
  const reader = new RuleReader(metadata.namespace, seen, trustDomains);
  return (spec.rules ?? []).flatMap((rule, i) =>
    reader.matches(rule, side) ? [`ns[${metadata.namespace}]-policy[${metadata.name}]-rule[${i}]`] : [],
  );
}

class RuleReader {
  readonly #namespace: string;
  readonly #seen: Seen;
  readonly #trustDomains: TrustDomains;

  constructor(namespace: string, seen: Seen, trustDomains: TrustDomains) {
    this.#namespace = namespace;
    this.#seen = seen;
    this.#trustDomains = trustDomains;
  }

  matches(rule: AccessRule, side: Side): boolean {
    const { from, to, when = [] } = rule;
    // Attributes of requests that a connection does not have: an ALLOW rule is none then, and others lose them.
    if (this.#seen.http === undefined && side === 'grants' && asksForHttp(rule)) return false;
    return (
      (from === undefined || from.some(({ source }) => this.#fields(source, side))) &&
      (to === undefined || to.some(({ operation }) => this.#fields(operation, side))) &&
      when.every((condition) => this.#condition(condition, side))
    );
  }

  #fields(fields: Fields, side: Side): boolean {
    return Object.entries(fields).every(([field, values]) => {
      const attribute = attributeOf(field);
      return this.#holds(attribute, values, isNegated(field), side);
    });
  }

  #condition({ key, values, notValues }: Condition, side: Side): boolean {
    return (
      (values === undefined || this.#holds(key, values, false, side)) &&
      (notValues === undefined || this.#holds(key, notValues, true, side))
    );
  }

  #holds(attribute: string, values: readonly string[], isNegation: boolean, side: Side): boolean {
    if (this.#seen.http === undefined && isHttp(attribute)) return true;
    if (!isNegation) return values.some((value) => this.#hasValue(attribute, value, side));
    const other: Side = side === 'grants' ? 'refuses' : 'grants';
    return !values.some((value) => this.#hasValue(attribute, value, other));
  }

  #hasValue(attribute: string, value: string, side: Side): boolean {
    const { direct, remote, destination, serverName, http } = this.#seen;
    switch (attribute) {
      case 'source.ip':
        return isInBlock(direct, value);
      case 'remote.ip':
        return isInBlock(remote, value);
      case 'destination.ip':
        return isInBlock(destination.address, value);
      case 'destination.port':
        return destination.port === Number(value);
      case 'connection.sni':
        return covers(value, serverName);
    }
    if (attribute.startsWith('source.')) return this.#hasIdentity(attribute, value);
    return http !== undefined && requestHas(http, attribute, value, side);
  }

  #hasIdentity(attribute: string, value: string): boolean {
    const parts = /^spiffe:\/\/([^/]+)\/ns\/([^/]+)\/sa\/(.+)$/.exec(this.#seen.identity ?? '');
    if (parts === null) return false;
    const [, trustDomain = '', namespace = '', account = ''] = parts;
    // One identity has as many names as the mesh has trust domains.
    const isOwn = this.#trustDomains.includes(trustDomain);
    const domains = isOwn ? [...this.#trustDomains, 'cluster.local'] : [trustDomain];
    switch (attribute) {
      case 'source.principal':
        return domains.some((domain) => covers(value, `${domain}/ns/${namespace}/sa/${account}`));
      case 'source.namespace':
        return covers(value, namespace);
      case 'source.serviceAccount':
        return value.includes('/')
          ? value === `${namespace}/${account}`
          : namespace === this.#namespace && value === account;
      case 'source.trustDomain':
        return domains.some((domain) => covers(value, domain));
      default:
        throw new Error(`the oracle does not know ${attribute}`);
    }
  }
}

/** The attribute of `when` that is the same as a field of `source` or `operation`. */
function attributeOf(field: string): string {
  const name = isNegated(field) ? `${field[3]?.toLowerCase()}${field.slice(4)}` : field;
  const attribute = {
    principals: 'source.principal',
    namespaces: 'source.namespace',
    serviceAccounts: 'source.serviceAccount',
    trustDomains: 'source.trustDomain',
    ipBlocks: 'source.ip',
    remoteIpBlocks: 'remote.ip',
    requestPrincipals: 'request.auth.principal',
    hosts: 'request.host',
    methods: 'request.method',
    paths: 'request.path',
    ports: 'destination.port',
  }[name];
  if (attribute === undefined) throw new Error(`the oracle does not know ${field}`);
  return attribute;
}

function isNegated(field: string): boolean {
  return /^not[A-Z]/.test(field);
}

function isHttp(attribute: string): boolean {
  return attribute.startsWith('request.');
}

function asksForHttp({ from = [], to = [], when = [] }: AccessRule): boolean {
  const fields = [...from.map(({ source }) => source), ...to.map(({ operation }) => operation)];
  return [...fields.flatMap(Object.keys).map(attributeOf), ...when.map(({ key }) => key)].some(isHttp);
}

function requestHas(request: SeenRequest, attribute: string, value: string, side: Side): boolean {
  const { method, path, authority, headers, claims } = request;
  const header = /^request\.headers\[(.+)\]$/.exec(attribute)?.[1]?.toLowerCase();
  if (header !== undefined)
    return header === 'host'
      ? hasHost(authority, value, side)
      : hasLine(headers[header], value, side, separatorOf(header));
  const claim = /^request\.auth\.claims((?:\[[^\]]+\])+)$/.exec(attribute)?.[1];
  if (claim !== undefined) return hasClaim(claims, claim.slice(1, -1).split(']['), value);
  switch (attribute) {
    case 'request.host':
      return hasHost(authority, value, side);
    case 'request.method':
      return side === 'grants' ? covers(value, method) : covers(value.toUpperCase(), method.toUpperCase());
    case 'request.path':
      return /\{\*\*?\}/.test(value) ? templateTakes(value, path) : covers(value, path);
    case 'request.auth.principal': {
      const { iss, sub } = claims ?? {};
      return (
        typeof iss === 'string' && typeof sub === 'string' && iss !== '' && sub !== '' && covers(value, `${iss}/${sub}`)
      );
    }
    case 'request.auth.audiences':
      return hasClaim(claims, ['aud'], value);
    case 'request.auth.presenter':
      return hasClaim(claims, ['azp'], value);
    default:
      throw new Error(`the oracle does not know ${attribute}`);
  }
}

function hasHost(authority: string, value: string, side: Side): boolean {
  if (value === '*') return true;
  if (!isCanonical(authority)) return side === 'refuses';
  return covers(value.toLowerCase(), nameOfAuthority(authority));
}

/** Cookies may be joined by semicolons, or by commas where one line is made of several. */
function separatorOf(header: string): RegExp {
  return header === 'cookie' ? /[,;]/ : /,/;
}

/** A star takes an empty header too. What refuses takes a member of a list for the whole value. */
function hasLine(line: string | undefined, value: string, side: Side, separator: RegExp): boolean {
  if (line === undefined) return false;
  if (value === '*' || covers(value, line)) return true;
  return side === 'refuses' && line.split(separator).some((member) => covers(value, member.trim()));
}

/** A text, or a list with such a text. */
function hasClaim(claims: SeenRequest['claims'], keys: readonly string[], value: string): boolean {
  let found: unknown = claims;
  for (const key of keys) found = (found as Readonly<Record<string, unknown>> | undefined)?.[key];
  const all = Array.isArray(found) ? found : [found];
  return all.some((one) => typeof one === 'string' && covers(value, one));
}

/** IPv4 alone. */
function isInBlock(address: string, block: string): boolean {
  const [base = '', bits = '32'] = block.split('/');
  const shift = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(address) / shift) === Math.floor(numberOf(base) / shift);
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

import type { WrittenRequest } from '../../config/policy-test.ts';
import type { DraftSurroundings, KnownTarget } from './surroundings.ts';
import { type TextKind, textFor, textsBeside } from './witness.ts';

/**
 * What a field of a rule is about: parts of requests that one of its values matches, and of requests near to them that no
 * value matches. What is about the client alone has one empty part: the clients are tried one after the other.
 */
export interface Attribute {
  readonly matching: (value: string) => readonly WrittenRequest[];
  readonly beside: (values: readonly string[]) => readonly WrittenRequest[];
}

const ofClient: Attribute = { matching: () => [{}], beside: () => [{}] };

/** The attribute of a field of a source or an operation, or of the key of a condition. */
export function attributeOf(key: string, { targets }: Pick<DraftSurroundings, 'targets'>): Attribute {
  const [, base = key, name = ''] = /^([^[]*)\[(.*)\]$/.exec(key) ?? [];
  switch (base) {
    case 'methods':
      return texts('method', (method) => ({ method }));
    case 'paths':
      return texts('path', (path) => ({ path }));
    case 'hosts':
      return texts('host', (host) => ({ host }));
    case 'ports':
    case 'destination.port':
      return ports(targets);
    case 'connection.sni':
      return texts('host', (sni) => ({ sni }));
    case 'request.headers':
      return header(name.toLowerCase());
    case 'request.auth.claims':
      return texts('text', (text) => ({ claims: nested(name.split(']['), text) }));
    case 'request.auth.audiences':
      return texts('text', (aud) => ({ claims: { aud } }));
    case 'request.auth.presenter':
      return texts('text', (azp) => ({ claims: { azp } }));
    case 'requestPrincipals':
    case 'request.auth.principal':
      return requestPrincipals;
    default:
      return ofClient;
  }
}

function texts(kind: TextKind, part: (text: string) => WrittenRequest): Attribute {
  return {
    matching: (value) => [part(textFor(value, kind))],
    beside: (values) => textsBeside(values, kind).map(part),
  };
}

function header(name: string): Attribute {
  if (name === ':method') return texts('method', (method) => ({ method }));
  if (name === 'host' || name === ':authority') return texts('host', (host) => ({ host }));
  const { matching, beside } = texts('text', (text) => ({ headers: { [name]: text } }));
  return { matching, beside: (values) => [...beside(values), {}] };
}

function ports(targets: readonly KnownTarget[]): Attribute {
  return {
    matching: (value) => targets.filter(({ port }) => String(port) === value).map(partFor),
    beside: (values) => targets.filter(({ port }) => !values.includes(String(port))).map(partFor),
  };
}

const ofBytes: ReadonlySet<string> = new Set(['tcp', 'tls', 'mongo', 'mysql', 'redis']);

/** A request to a port, or a connection where it carries no HTTP. */
export function partFor({ to, protocol }: KnownTarget): WrittenRequest {
  return ofBytes.has(protocol.toLowerCase()) ? { to, protocol: 'tcp' } : { to };
}

function nested(path: readonly string[], value: string): Readonly<Record<string, unknown>> {
  const [first = '', ...rest] = path;
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

/** Issuer and subject. Beside them: no token, and a token of somebody else. */
const requestPrincipals: Attribute = {
  matching: (value) => {
    if (value === '*') return [{ claims: {} }];
    const text = textFor(value, 'text');
    const slash = text.lastIndexOf('/');
    return [{ claims: { iss: text.slice(0, slash), sub: text.slice(slash + 1) } }];
  },
  beside: () => [{}, { claims: { sub: 'else' } }],
};

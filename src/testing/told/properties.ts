import { isIPv4 } from 'node:net';
import type { Connection, HttpRequest } from '../../access/request.ts';
import type { Attempt } from './attempt.ts';

type Meets = (text: string) => boolean;

/** What a client can say or be, by what `explain` calls it. */
interface Property {
  readonly read: (attempt: Attempt) => readonly string[];
  /** Undefined where no client can. */
  readonly write: (attempt: Attempt, text: string) => Attempt | undefined;
  /** Texts that may take the place of one that must not be there; undefined: nothing takes its place. */
  readonly others: readonly (string | undefined)[];
  readonly remove?: (attempt: Attempt) => Attempt;
}

/** The texts that a request has under this name. */
export function textsOf(attempt: Attempt, subject: string): readonly string[] {
  return propertyOf(subject).read(attempt);
}

/** The attempt with this text; without one, with the first other text that will do, or none. */
export function setText(
  attempt: Attempt,
  subject: string,
  text: string | undefined,
  isGood: Meets,
): Attempt | undefined {
  const property = propertyOf(subject);
  if (text !== undefined) return property.write(attempt, text);
  if (property.remove !== undefined) return property.remove(attempt);
  const other = property.others.find((one) => one !== undefined && isGood(one));
  return other === undefined ? undefined : property.write(attempt, other);
}

const withRequest = (attempt: Attempt, request: Partial<HttpRequest>): Attempt => ({
  ...attempt,
  request: { ...attempt.request, ...request },
});

const withConnection = (attempt: Attempt, connection: Partial<Connection>): Attempt => ({
  ...attempt,
  connection: { ...attempt.connection, ...connection },
});

/** What a sidecar offers, and whom it is. */
function meshTls({ connection: { tls, protocol }, isOfConnection }: Attempt): NonNullable<Connection['tls']> {
  const spoken = protocol === 'h2' ? ['mesh-h2', 'mesh', 'h2'] : ['mesh-http/1.1', 'mesh', 'http/1.1'];
  const alpn = isOfConnection ? ['mesh'] : spoken;
  return tls ?? { alpn, identities: ['spiffe://cluster.local/ns/told/sa/told'], serverName: 'told.test' };
}

const properties: Readonly<Record<string, Property>> = {
  method: {
    read: ({ request }) => [request.method],
    write: (attempt, method) => withRequest(attempt, { method }),
    others: ['GET', 'PATCH', 'TOLD'],
  },
  path: {
    read: ({ request }) => [request.path.replace(/[?#].*/s, '')],
    write: (attempt, path) => withRequest(attempt, { path: path + (/[?].*/s.exec(attempt.request.path)?.[0] ?? '') }),
    others: ['/told', '/other/told', '/told/x'],
  },
  host: {
    read: ({ request, role }) => [role === 'gateway' ? request.authority.replace(/:\d*$/, '') : request.authority],
    write: (attempt, authority) => withRequest(attempt, { authority }),
    others: ['told.test', 'told'],
  },
  port: {
    read: ({ connection }) => [String(connection.destination.port)],
    // At another port other rules hold: those of a chain have of several ports its own alone.
    write: () => undefined,
    others: [],
  },
  destination: {
    read: ({ connection }) => [connection.destination.address],
    write: () => undefined,
    others: [],
  },
  'peer address': {
    read: ({ connection }) => [connection.source],
    write: (attempt, source) => withConnection(attempt, { source }),
    others: ['10.200.0.9'],
  },
  'client address': {
    read: (attempt) => [forwardedFor(attempt) ?? attempt.connection.source],
    write: (attempt, address) =>
      forwardedFor(attempt) === undefined
        ? withConnection(attempt, { source: address })
        : withHeader(attempt, 'x-forwarded-for', address),
    others: ['10.200.0.9'],
  },
  'server name': {
    read: ({ connection: { tls } }) => [tls?.serverName ?? ''],
    write: (attempt, serverName) => withConnection(attempt, { tls: { ...meshTls(attempt), serverName } }),
    others: ['told.test'],
  },
  identity: {
    read: ({ connection: { tls } }) => tls?.identities ?? [],
    // TLS refuses whom the mesh does not know, before any rule.
    write: (attempt, identity) =>
      identity.startsWith('spiffe://cluster.local/')
        ? withConnection(attempt, { tls: { ...meshTls(attempt), identities: [identity] } })
        : undefined,
    others: ['spiffe://cluster.local/ns/told/sa/told', 'spiffe://cluster.local/ns/foo/sa/sleep'],
  },
};

function propertyOf(subject: string): Property {
  const [, element, kind, name = ''] = /^(an element of )?(?:(header|claim) )?(.+)$/.exec(subject) ?? [];
  if (kind === 'header') return header(name);
  if (kind === 'claim') return claim(name.split('.'), element !== undefined);
  const property = properties[name];
  if (property === undefined) throw new Error(`nobody knows what "${subject}" is`);
  return property;
}

function header(name: string): Property {
  return {
    read: ({ request }) =>
      request.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value.trim()),
    write: (attempt, value) => withHeader(attempt, name, value),
    others: [],
    remove: (attempt) => withHeader(attempt, name, undefined),
  };
}

function withHeader(attempt: Attempt, name: string, value: string | undefined): Attempt {
  const others = attempt.request.headers.filter(([key]) => key.toLowerCase() !== name);
  return withRequest(attempt, { headers: value === undefined ? others : [...others, [name, value]] });
}

function forwardedFor({ request, role, isOfConnection }: Attempt): string | undefined {
  if (isOfConnection) return undefined;
  const [line] = request.headers.filter(([key]) => key.toLowerCase() === 'x-forwarded-for');
  const last = line?.[1].split(',').at(-1)?.trim() ?? '';
  return role === 'sidecar' && isIPv4(last) ? last : undefined;
}

type Claims = Readonly<Record<string, unknown>>;

function claim(path: readonly string[], isElement: boolean): Property {
  const write = (attempt: Attempt, value: unknown): Attempt | undefined => {
    const isIssuer = path[0] === 'iss';
    const [usual] = attempt.validClaims.values();
    const claims = isIssuer ? attempt.validClaims.get(value) : (attempt.claims ?? usual);
    if (claims === undefined) return undefined;
    return { ...attempt, claims: withClaim(claims, path, value) };
  };
  return {
    read: ({ claims }) => {
      const value = path.reduce<unknown>((inner, key) => (inner as Claims | undefined)?.[key], claims);
      if (isElement) return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
      return typeof value === 'string' ? [value] : [];
    },
    write: (attempt, text) => write(attempt, isElement ? [text] : text),
    others: [],
    // Without these a token is none.
    remove: (attempt) => (isNeeded(path) ? { ...attempt, claims: undefined } : (write(attempt, undefined) ?? attempt)),
  };
}

function isNeeded([first]: readonly string[]): boolean {
  return first === 'iss' || first === 'sub';
}

function withClaim(claims: Claims, [first = '', ...rest]: readonly string[], value: unknown): Claims {
  if (rest.length === 0) return { ...claims, [first]: value };
  const inner = claims[first];
  return {
    ...claims,
    [first]: withClaim(typeof inner === 'object' && inner !== null ? (inner as Claims) : {}, rest, value),
  };
}

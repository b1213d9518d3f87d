type Json = Readonly<Record<string, unknown>>;

/** Texts that a configuration asks for, by what they are asked of. */
export interface Atoms {
  readonly paths: readonly string[];
  readonly hosts: readonly string[];
  readonly methods: readonly string[];
  /** SPIFFE IDs. */
  readonly identities: readonly string[];
  /** First addresses of blocks. */
  readonly addresses: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Path of a claim, and a value that is asked for. */
  readonly claims: readonly (readonly [path: readonly string[], value: string])[];
}

/**
 * Collects the literals of resources by a plain walk over their JSON, without knowing what Envoy makes of them: what a
 * prediction does not read is asked for all the same.
 */
export function atomsOf(resources: readonly unknown[]): Atoms {
  const found = {
    paths: new Set<string>(),
    hosts: new Set<string>(),
    methods: new Set<string>(),
    identities: new Set<string>(),
    addresses: new Set<string>(),
    issuers: new Set<string>(),
    audiences: new Set<string>(),
  };
  const headers = new Map<string, readonly [string, string]>();
  const claims = new Map<string, readonly [readonly string[], string]>();
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) {
      for (const one of value) visit(one, key);
    } else if (typeof value === 'string') {
      noteText(value, key, found);
    } else if (typeof value === 'object' && value !== null) {
      noteHeader(value as Json, headers);
      noteClaim(value as Json, claims);
      for (const [name, member] of Object.entries(value)) visit(member, name);
    }
  };
  for (const resource of resources) visit(resource, '');
  const lists = Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set]])) as Record<
    keyof typeof found,
    string[]
  >;
  return { ...lists, headers: [...headers.values()], claims: [...claims.values()] };
}

function noteText(
  text: string,
  key: string,
  found: Readonly<Record<Exclude<keyof Atoms, 'headers' | 'claims'>, Set<string>>>,
): void {
  if (text.length > 500) return;
  if (key === 'domains' || key === 'server_names') found.hosts.add(text.replaceAll('*', 'a'));
  else if (key === 'address_prefix') found.addresses.add(text);
  else if (key === 'issuer') found.issuers.add(text);
  else if (key === 'audiences') found.audiences.add(text);
  else if (/^[A-Z]{3,10}$/.test(text) && key === 'exact') found.methods.add(text);
  else if (text.includes('spiffe://')) found.identities.add(plainOf(text));
  else if (text.startsWith('/') && key !== 'filename') found.paths.add(plainOf(text));
}

/** A text that an expression or template may mean: what is literal in it stays. */
function plainOf(text: string): string {
  return text
    .replaceAll(/\{\*{1,2}\}|\[\^\/\]\+|\.[*+]\??|\*+/g, 'x')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/[()^$?|]/g, '');
}

function noteHeader(json: Json, headers: Map<string, readonly [string, string]>): void {
  const { name } = json;
  if (typeof name !== 'string' || name.startsWith(':') || !/^[a-z0-9_-]+$/.test(name)) return;
  for (const value of Object.entries(json).flatMap(([key, member]) =>
    headerMatches.has(key) ? leavesOf(member) : [],
  )) {
    if (value.length < 200 && !/[\r\n\0]/.test(value)) headers.set(`${name} ${value}`, [name, plainOf(value)]);
  }
}

/** Fields of Envoy's HeaderMatcher with a text. */
const headerMatches = new Set([
  ...['string_match', 'exact_match', 'prefix_match', 'suffix_match', 'contains_match', 'safe_regex_match'],
]);

/** A condition about metadata: a path of keys, the first of which is the filter's own, and a value. */
function noteClaim({ filter, path, value }: Json, claims: Map<string, readonly [readonly string[], string]>): void {
  if (typeof filter !== 'string' || !Array.isArray(path)) return;
  const keys = path.map((segment: Json) => String(segment.key)).slice(1);
  if (keys.length === 0) return;
  for (const text of leavesOf(value)) claims.set(`${keys.join(' ')} ${text}`, [keys, plainOf(text)]);
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === 'name' ? [] : leavesOf(member)));
}

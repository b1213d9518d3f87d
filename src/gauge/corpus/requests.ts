import { isIPv6 } from 'node:net';
import { keyOf, type World } from '../../access/world.ts';
import { isUnicast } from '../prove.ts';
import { type Atoms, atomsOf } from './atoms.ts';
import type { Chance } from './chance.ts';

/** A request in the words of a case of PolicyTest. */
export interface GeneratedRequest {
  readonly from: string;
  readonly to: string;
  readonly protocol?: 'http2' | 'tcp';
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Of a client outside. */
  readonly address?: string;
  readonly sni?: string;
}

/** What requests of a mesh may be made of. */
export interface Corpus {
  readonly clients: readonly string[];
  readonly outside: readonly string[];
  /** Workloads and hosts with a port, and what is asked for there. */
  readonly targets: readonly { readonly to: string; readonly atoms: Atoms; readonly isIPv6: boolean }[];
}

/** Clients and targets of a mesh; `resourcesOf` gives listeners and routes of a workload (`namespace/name`). */
export function corpusOf({ mesh, proxies }: World, resourcesOf: (workload: string) => readonly unknown[]): Corpus {
  const atoms = new Map<string, Atoms>();
  const atomsAt = (key: string): Atoms => {
    const known = atoms.get(key) ?? atomsOf(resourcesOf(key));
    atoms.set(key, known);
    return known;
  };
  const targets = mesh.workloads.flatMap((workload) => {
    const key = keyOf(workload);
    const proxy = proxies.get(key);
    const [address] = workload.addresses;
    if (proxy === undefined || address === undefined || workload.role === 'none') return [];
    const own =
      workload.role === 'router'
        ? [...proxy.listeners.values()].flatMap(({ addresses }) => addresses.map(({ port }) => port))
        : [...workload.ports.map(({ targetPort }) => targetPort), 7];
    return [...new Set(own)].map((port) => ({ to: `${key}:${port}`, atoms: atomsAt(key), isIPv6: isIPv6(address) }));
  });
  const hosts = mesh.services.flatMap(({ host, ports, endpoints }) => {
    const key = endpoints
      .flatMap(({ workload }) => (workload === undefined ? [] : [keyOf(workload)]))
      .find((one) => proxies.has(one));
    return key === undefined
      ? []
      : ports.map(({ number }) => ({ to: `${host}:${number}`, atoms: atomsAt(key), isIPv6: false }));
  });
  const all = [...targets, ...hosts];
  const clients = mesh.workloads.filter(({ role, addresses }) => role !== 'router' && addresses.length > 0).map(keyOf);
  const identities = new Set(
    all.flatMap((target) => target.atoms.identities).map((text) => text.slice(text.indexOf('spiffe://'))),
  );
  const outside = [...identities].filter((identity) => /^spiffe:\/\/[^/]+\/[\w./-]+$/.test(identity));
  return { clients, outside: [...outside, 'spiffe://other.example/ns/a/sa/b'], targets: all };
}

/** One request by chance; undefined where the mesh has nothing to send to. */
export function generateRequest(chance: Chance, { clients, outside, targets }: Corpus): GeneratedRequest | undefined {
  const target = chance.oneOf(targets);
  if (target === undefined) return undefined;
  const { to, atoms } = target;
  const isWorkload = to.includes('/');
  const inside = chance.percent(55) || !isWorkload ? chance.oneOf(clients) : undefined;
  const from = inside ?? outsider(chance, outside, target);
  const own = inside === undefined ? clientFields(chance, from, target) : {};
  const kind = chance.upTo(100);
  if (kind < 4) return { from, to, ...own, protocol: 'tcp' };
  const headers = headersOf(chance, atoms);
  const claims = claimsOf(chance, atoms);
  const host = chance.percent(atoms.hosts.length > 0 ? 50 : 5)
    ? twisted(chance, chance.oneOf(atoms.hosts) ?? 'other.example')
    : undefined;
  return {
    from,
    to,
    ...own,
    ...(kind < 16 && { protocol: 'http2' as const }),
    method: chance.oneOf([...atoms.methods, 'GET', 'POST', 'get']) ?? 'GET',
    path: pathOf(chance, atoms),
    ...(host !== undefined && { host }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(claims !== undefined && { claims }),
  };
}

function outsider(
  chance: Chance,
  outside: readonly string[],
  { atoms, isIPv6: isSix }: Corpus['targets'][number],
): string {
  if (chance.percent(40)) return chance.oneOf(outside) ?? 'outside';
  const fitting = atoms.addresses.filter((address) => isIPv6(address) === isSix && isUnicast(address));
  const address = chance.oneOf(fitting) ?? (isSix ? '2001:db8::1' : '192.0.2.1');
  if (isSix || chance.percent(50)) return address;
  const [a, b, c, d] = address.split('.').map(Number);
  return `${a}.${b}.${c}.${((d ?? 0) + chance.upTo(300)) % 256}`;
}

/** A client with an identity has no address of its own; one with a server name uses TLS. */
function clientFields(
  chance: Chance,
  from: string,
  { atoms, isIPv6: isSix }: Corpus['targets'][number],
): Pick<GeneratedRequest, 'address' | 'sni'> {
  const sni = chance.percent(15)
    ? chance.oneOf(atoms.hosts.filter((host) => /^[a-z][a-z0-9.-]*$/.test(host)))
    : undefined;
  return {
    ...(isSix && !isIPv6(from) && { address: '2001:db8::1' }),
    ...(sni !== undefined && { sni }),
  };
}

const suffixes = ['', '', '', '', '/', '/a', 'x', '?a=b', '/../b', '//', '%2f', ';v=1', '.json'];

function pathOf(chance: Chance, { paths }: Atoms): string {
  const atom = chance.percent(85) ? chance.oneOf(paths) : undefined;
  const path = `${chance.percent(20) ? twisted(chance, atom ?? '/') : (atom ?? '/')}${chance.oneOf(suffixes)}`;
  const visible = path.replaceAll(/[^\x21-\x7e]/g, 'x');
  return visible.startsWith('/') ? visible : `/${visible}`;
}

/** A text one step off. */
function twisted(chance: Chance, text: string): string {
  const at = chance.upTo(text.length + 1);
  switch (chance.upTo(5)) {
    case 0:
      return text.toUpperCase();
    case 1:
      return text.slice(0, -1) || 'a';
    case 2:
      return `${text.slice(0, at)}a${text.slice(at)}`;
    case 3:
      return `${text}a`;
    default:
      return text;
  }
}

function headersOf(chance: Chance, { headers }: Atoms): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (let i = 0; i < 3 && chance.percent(60); i++) {
    const [name, value] = chance.oneOf(headers) ?? [];
    if (name === undefined || value === undefined || forbidden.has(name)) continue;
    chosen[name] = (chance.percent(25) ? twisted(chance, value) : value).replaceAll(/[^\x20-\x7e]/g, 'x').trim();
  }
  return chosen;
}

/** Headers of the connection, which clients of HTTP/2 refuse to send, and those that carry tokens. */
const forbidden = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'keep-alive',
  'authorization',
  'cookie',
]);

function claimsOf(chance: Chance, { issuers, audiences, claims }: Atoms): Record<string, unknown> | undefined {
  if (issuers.length === 0 || chance.percent(35)) return undefined;
  const iss = chance.percent(90) ? chance.oneOf(issuers) : 'https://other.example';
  const made: Record<string, unknown> = {
    iss,
    sub: 'a',
    ...(audiences.length > 0 && { aud: chance.oneOf(audiences) }),
  };
  for (let i = 0; i < 3 && chance.percent(60); i++) {
    const [path = [], value = ''] = chance.oneOf(claims) ?? [];
    const [first, ...rest] = path.filter((key) => key !== '[]');
    if (first === undefined || first === 'iss') continue;
    const text = chance.percent(20) ? twisted(chance, value) : value;
    made[first] =
      rest.length === 0
        ? chance.percent(30)
          ? [text]
          : text
        : rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), text);
  }
  return made;
}

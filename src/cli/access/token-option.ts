import type { AccessRequest } from '../../access/evaluate/access-request.ts';
import { parseToken, type Token } from '../../access/model/token.ts';
import { tokenProviders } from '../../access/token-providers.ts';
import { keyOf, type World, workloadAt } from '../../access/world.ts';
import { WorldFailure } from '../../lib/failure.ts';
import { readNamedText } from '../../lib/read-file.ts';
import { UsageError } from '../../lib/usage-error.ts';

/** A token of the command line: its text, or the path of a file with it. Throws where there is no token. */
export async function readToken(value: string): Promise<Token> {
  const isText = /^[\w=-]+\.[\w=-]+\.[\w=-]*$/.test(value);
  const text = isText ? value : await readTokenFile(value);
  const token = parseToken(text);
  if (typeof token !== 'string') return token;
  const where = isText ? 'the text' : `"${value}"`;
  throw new UsageError(
    `--token: ${where} is no token that Envoy reads, expected a signed JWT or a file with one: ${token}`,
  );
}

async function readTokenFile(path: string): Promise<string> {
  const text = await readNamedText(path, 'latin1').catch((cause: unknown) => {
    throw new WorldFailure('file-unreadable', `cannot read "${path}", which --token names`, { cause });
  });
  return text.trim().replace(/^Bearer +/i, '');
}

/** A place of a request in which a token is sent, and its name for people. */
interface TokenPlace {
  readonly words: string;
  readonly put: (request: NonNullable<AccessRequest['request']>, token: string) => AccessRequest['request'];
}

/**
 * The requests with the token where their destinations look for tokens of its issuer, and that place in words. If they look for none:
 * in the header `authorization`, or with `anywhere` where they look for tokens at all.
 */
export function withToken(
  world: World,
  accesses: readonly AccessRequest[],
  { text, claims }: Token,
  fallback: 'header' | 'anywhere' = 'header',
): { readonly accesses: readonly AccessRequest[]; readonly place: string } {
  const place = placeFor(world, accesses, claims.iss, fallback);
  const carrying = accesses.map((access): AccessRequest => {
    const { request } = access;
    return request === undefined ? access : { ...access, request: place.put(request, text) };
  });
  return { accesses: carrying, place: place.words };
}

function placeFor(
  world: World,
  accesses: readonly AccessRequest[],
  issuer: unknown,
  fallback: 'header' | 'anywhere',
): TokenPlace {
  const servers = accesses.flatMap(({ to }) => serversAt(world, to.address));
  const providers = [...tokenProviders(servers.flatMap((key) => world.proxies.get(key) ?? []))];
  const own =
    providers.find((provider) => provider.issuer === issuer) ??
    providers.find((one) => fallback === 'anywhere' || one.issuer === '');
  const [header] = own?.headers ?? [];
  const [param] = own?.params ?? [];
  const [cookie] = own?.cookies ?? [];
  if (header !== undefined) return inHeader(header.name, header.prefix);
  if (param !== undefined) return inParameter(param);
  return cookie === undefined ? inHeader('authorization', 'Bearer ') : inHeader('cookie', `${cookie}=`);
}

/** Workloads (`namespace/name`) behind an address: its own, or the endpoints of the service that has it. */
function serversAt(world: World, address: string): readonly string[] {
  const own = workloadAt(world, address);
  if (own !== undefined) return [keyOf(own)];
  const services = world.mesh.services.filter(({ addresses }) => addresses.includes(address));
  return services.flatMap(({ endpoints }) => endpoints.flatMap(({ workload }) => (workload ? [keyOf(workload)] : [])));
}

function inHeader(name: string, prefix: string): TokenPlace {
  return {
    words: `header ${name}${prefix === '' ? '' : ` after "${prefix}"`}`,
    put: (request, token) => {
      if (request.headers.some(([other]) => other.toLowerCase() === name)) {
        throw new UsageError(`--token: the request has a header "${name}" already: leave one of both out`);
      }
      return { ...request, headers: [...request.headers, [name, prefix + token]] };
    },
  };
}

function inParameter(name: string): TokenPlace {
  return {
    words: `parameter ${name}`,
    put: (request, token) => {
      const sign = request.path.includes('?') ? '&' : '?';
      return { ...request, path: `${request.path}${sign}${name}=${token}` };
    },
  };
}

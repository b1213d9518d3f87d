import type { Connection, HttpRequest } from '../access/request.ts';
import type { Dice } from './dice.ts';

const paths = [
  '/info',
  '/info/x',
  '/information',
  '/admin',
  '/admin/',
  '/admin/a',
  '/Admin',
  '/index.php',
  '/index.php/',
  '/a/q/b',
  '/a/b',
  '/a//b',
  '/a/q/r/b',
  '/store/',
  '/store/x',
  '/store/x/cart',
  '/store/cart',
  '/store/a*b/cart',
  '/a/q*r/b',
  '/store//cart',
  '/',
  '/x/y',
  '/x/y?z=1',
  '/x/y?z=1&z=a',
  '/x/y?z=a&z=1',
  '/x/b',
  '/a/q/',
  '/admin?x',
  '/info?/admin',
];

/** Other spellings of a path, and what is none. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path.replace('/', '//'),
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => `/.${path}`,
  (path) => `/x\\..${path.replace('/', '\\')}`,
  (path) => path.replace('/', '/%2f'),
  (path) => path.replace('/', '/%2F'),
  (path) => path.replace(/[a-z](?=[^a-z]*$)/, (letter) => `${letter}@!$&'()+,=:`),
  (path) => `/x%2f..${path}`,
  (path) => path.replace('/', '/%5c'),
  (path) => `/x/..;${path}`,
  (path) => `/x/.;${path}`,
  (path) => `${path};v=1`,
  (path) => `${path}%00`,
  (path) => `${path}#x`,
  (path) => `${path}%zz`,
  (path) => `${path}%252f`,
  (path) => `${path}/`,
  (path) => `${path}/..`,
  (path) => `${path}/.`,
  (path) => `${path}"<>^\`{|}`,
  (path) => `${path}%7e%7B%41%2a`,
  (path) => `${path}\xe9`,
  (path) => path.slice(1),
  () => '*',
];

const authorities = [
  'httpbin.foo',
  'httpbin.foo:8080',
  'HTTPBIN.foo',
  'httpbin.foo.',
  'httpbin.foo.:80',
  'httpbin.foo:',
  'api.example.com',
  'api.example.com:80',
  'API.example.com.:8080',
  'x.example.com',
  'example.com',
  'other',
  '10.1.0.1:8080',
  'httpbin.foo:abc',
  'a,b',
  '',
];

const headerValues = ['admin', 'administrator', 'superadmin', 'dev', 'a b', ' admin', 'admin,dev', '', 'Admin', '\xe9'];

const identities = [
  'spiffe://cluster.local/ns/foo/sa/sleep',
  'spiffe://cluster.local/ns/foo/sa/other',
  'spiffe://cluster.local/ns/bar/sa/sleep',
  'spiffe://cluster.local/ns/bar/sa/web',
];
/** Certificates of other meshes are refused, and are rare. */
const strangeIdentity = 'spiffe://other.example/ns/foo/sa/sleep';

const sources = ['10.9.0.5', '10.9.1.7', '10.9.1.8', '10.10.0.1', '10.40.0.1'];

/** A request of a client of HTTP/1.1, near the vocabulary of `generatedAccess`. */
export function generatedRequest(dice: Dice): HttpRequest {
  const plain = dice.pick(paths);
  const path = dice.chance(30) ? dice.pick(spellings)(plain) : plain;
  const headers = Array.from({ length: dice.below(4) }, () => {
    const name = dice.pick([
      'x-role',
      'x-role',
      'x-team',
      'x-team',
      'X-Role',
      'x-none',
      'x-forwarded-for',
      'x-forwarded-for',
    ]);
    const value =
      name === 'x-forwarded-for' ? dice.pick(['10.9.1.7', '10.9.0.1, 10.40.0.9', 'junk']) : dice.pick(headerValues);
    return [name, value] as const;
  });
  return {
    method: dice.pick(['GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'FOO']),
    path,
    authority: dice.pick(authorities),
    headers,
  };
}

const usualServerName = 'outbound_.8080_._.httpbin.foo.svc.cluster.local';
const serverNames = [usualServerName, usualServerName, usualServerName, 'web.example.com', 'other.test'];

/** The last two are in no Service. */
const ports = [...Array.from({ length: 15 }, () => 8080), 9000, 9000, 7070, 7070, 7071];

/** What a sidecar offers for HTTP. */
const meshHttp = ['mesh-http/1.1', 'mesh', 'http/1.1'];

/** A connection to a workload, in plaintext or by mutual TLS. */
export function generatedConnection(dice: Dice, address: string): Connection {
  const destination = { address, port: dice.pick(ports) };
  const base = { source: dice.pick(sources), destination, protocol: 'http/1.1' as const };
  if (dice.chance(30)) return base;
  const alpn = dice.pick([...Array.from({ length: 9 }, () => meshHttp), ['mesh'], ['http/1.1'], []]);
  return {
    ...base,
    tls: {
      alpn,
      identities: [dice.chance(1) ? strangeIdentity : dice.pick(identities)],
      serverName: dice.pick(serverNames),
    },
  };
}

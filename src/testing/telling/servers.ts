import { stringify } from 'yaml';
import { compileGauged, peerAuthentication } from '../gauged-mesh.ts';
import { at, casesOf, get, over, type Row, type TellingCase } from './case.ts';

const to = (path: string): object => ({ to: [{ operation: { paths: [path] } }] });
const from = (path: string, source: object): object => ({ ...to(path), from: [{ source }] });
const when = (path: string, key: string, ...values: readonly string[]): object => ({
  ...to(path),
  when: [{ key, values }],
});

/** For requests with one of these values in a header, whatever their path. */
const header = (name: string, ...values: readonly string[]): object => ({
  when: [{ key: `request.headers[${name}]`, values }],
});

/** An access policy of the workload `foo/httpbin`. */
export function accessPolicy(action: string, rules: readonly object[] | undefined): string {
  return stringify({
    apiVersion: 'security.mesh.io/v1',
    kind: 'AuthorizationPolicy',
    metadata: { name: action.toLowerCase(), namespace: 'foo' },
    spec: { action, ...(rules !== undefined && { rules }) },
  });
}

const allowed = accessPolicy('ALLOW', [
  to('/store/{**}/cart'),
  to('*.php'),
  to('/slash/x'),
  when('/role', 'request.headers[x-role]', 'admin'),
  when('/name', 'request.headers[x-name]', 'café'),
  when('/certificate', 'request.headers[x-forwarded-client-cert]', '*'),
  from('/block', { ipBlocks: ['10.8.0.0/14'] }),
  from('/direct', { ipBlocks: ['10.9.0.5'] }),
  from('/remote', { remoteIpBlocks: ['192.0.2.9'] }),
  { to: [{ operation: { hosts: ['shop.test'], paths: ['/host'] } }] },
]);

const allowedRows: readonly Row[] = [
  ['two stars of a template take several segments', get('/store/a/b/cart')],
  ['and none with a bracket', get('/store/a[b/cart')],
  ['and none with a bracket among others', get('/store/a/b]/c/cart')],
  ['an end is at the end', get('/x.php')],
  ['and nowhere else', get('/x.php/y')],
  ['an escaped slash is one, in capitals too', get('/slash%2Fx')],
  ['and in small letters', get('/slash%2fx')],
  ['two slashes are one', get('/slash//x')],
  ['two dots lead back', get('/other/../slash/x')],
  ['a path has no bytes above 0x7F', get('/slash/x\xe9')],
  ['a method that the codec does not know', { request: { ...get('/slash/x').request, method: 'FOO' } }],
  ['or that it knows in capitals', { request: { ...get('/slash/x').request, method: 'get' } }],
  ['an escaped NUL is refused', get('/slash/x%00')],
  ['any line of a header is enough', get('/role', ['x-role', 'admin'], ['x-role', 'dev'])],
  ['the last line too', get('/role', ['x-role', 'dev'], ['x-role', 'admin'])],
  ['blanks around a value do not count', get('/role', ['x-role', '  admin \t'])],
  ['texts are bytes, in UTF-8', get('/name', ['x-name', 'caf\xc3\xa9'])],
  ['and in no other encoding', get('/name', ['x-name', 'caf\xe9'])],
  [
    "nobody else writes the header of the client's certificate",
    get('/certificate', ['x-forwarded-client-cert', 'URI=spiffe://x']),
  ],
  ['blocks may end within a byte', get('/block')],
  ['the last address within a block', over({ source: '10.11.255.255' }, get('/block'))],
  ['the first address after it', over({ source: '10.12.0.0' }, get('/block'))],
  ['the direct address is not what was forwarded', get('/direct', ['x-forwarded-for', '192.0.2.9'])],
  ['the remote address is the last one', get('/remote', ['x-forwarded-for', '192.0.2.1, 192.0.2.9'])],
  ['and not the first one', get('/remote', ['x-forwarded-for', '192.0.2.9, 192.0.2.1'])],
  [
    'lines of forwarded addresses are one list',
    get('/remote', ['x-forwarded-for', '192.0.2.1'], ['x-forwarded-for', '192.0.2.9']),
  ],
  ['a host has no case', at('SHOP.test', get('/host'))],
  ['a port of digits is none of the host', at('shop.test:81', get('/host'))],
  ['another end is', at('shop.test:abc', get('/host'))],
  ['gRPC has a status of its own', get('/none', ['content-type', 'application/grpc'])],
  ['so has what is sent in gRPC', get('/none', ['content-type', 'application/grpc+proto'])],
  ['other types have none', get('/none', ['content-type', 'application/grpcx'])],
];

/** Rules are tried by name: the tenth comes before the second. */
const denied = accessPolicy('DENY', [
  ...[to('/none'), to('/deny/*'), ...Array(9).fill(to('/none')), to('/deny/x')],
  ...[to('/both'), header('x-role', 'both')],
]);

const deniedRows: readonly Row[] = [
  ['the rule with the first name has the reason', get('/deny/x')],
  ['the rule that matches has the reason', get('/deny/y')],
  ['the first of two that different texts find', get('/both', ['x-role', 'both'])],
  ['the second of them', get('/other', ['x-role', 'both'])],
  ['what no rule denies passes', get('/other')],
];

/** One rule for each of several texts of a request, and one that no text finds. */
const several = accessPolicy('ALLOW', [
  { to: [{ operation: { paths: ['/either', '/or', '/begin/*'] } }] },
  header('x-role', 'admin', 'dev'),
  { from: [{ source: { ipBlocks: ['10.40.0.0/14', '10.48.0.0/16'] } }] },
  from('/same', { notIpBlocks: ['10.9.0.5'] }),
  { to: [{ operation: { paths: ['/same'], notMethods: ['PUT'] } }] },
  { to: [{ operation: { notPaths: ['/none', '/same', '/either/*'], notMethods: ['GET'] } }] },
]);

const put = (path: string): Parameters<typeof at>[1] => ({ request: { ...get(path).request, method: 'PUT' } });

const severalRows: readonly Row[] = [
  ['the first of several paths', get('/either')],
  ['the second', get('/or')],
  ['a beginning beside whole paths', get('/begin/x')],
  ['the beginning alone', get('/begin/')],
  ['the last of several lines', get('/none', ['x-role', 'other'], ['x-role', 'dev'])],
  ['the first line', get('/none', ['x-role', 'admin'], ['x-role', 'other'])],
  ['the first of several blocks', over({ source: '10.43.255.255' }, get('/none'))],
  ['the second block', over({ source: '10.48.0.1' }, get('/none'))],
  ['the second of two rules for one path', get('/same')],
  ['the first of them', over({ source: '10.9.0.6' }, put('/same'))],
  ['neither of them', put('/same')],
  ['what no text finds', put('/any')],
  ['and what that leaves out', put('/none')],
  ['none of them', get('/none')],
];

const meshHttp = ['mesh-http/1.1', 'mesh', 'http/1.1'];
const serverName = 'outbound_.8080_._.httpbin.foo.svc.cluster.local';
const withIdentity = (identity: string): Parameters<typeof over>[0] => ({
  tls: { alpn: meshHttp, serverName, identities: [identity] },
});

const strictRows: readonly Row[] = [
  ['a client of the mesh', over(withIdentity('spiffe://cluster.local/ns/foo/sa/sleep'), get('/x'))],
  ['of another trust domain', over(withIdentity('spiffe://other.example/ns/foo/sa/sleep'), get('/x'))],
  ['of one with a longer name', over(withIdentity('spiffe://cluster.local.example/ns/foo/sa/sleep'), get('/x'))],
  ['without a certificate', over({ tls: { alpn: meshHttp, serverName } }, get('/x'))],
  ['in plaintext', get('/x')],
];

/** Whoever has an identity, whichever it is. */
const named = accessPolicy('ALLOW', [{ from: [{ source: { principals: ['*'] } }] }]);

const namedRows: readonly Row[] = [
  ['an identity of the mesh', over(withIdentity('spiffe://cluster.local/ns/foo/sa/sleep'), get('/x'))],
  ['none in plaintext', get('/x')],
];

/** Nobody who has an identity. */
const unnamed = accessPolicy('DENY', [{ from: [{ source: { principals: ['*'] } }] }]);

/** No service has it, so the bytes say what is spoken there. */
const undeclaredPort = 7070;

const undeclaredRows: readonly Row[] = [
  ['HTTP/1.1 in plaintext', get('/x')],
  ['HTTP/2 in plaintext', over({ protocol: 'h2' }, get('/x'))],
];

/** Requests to servers with these policies, whose addresses are `addressOf(0)` and so on. */
export async function tellingServers(addressOf: (index: number) => string): Promise<readonly TellingCase[]> {
  const plain = peerAuthentication('DISABLE');
  const settings = { pathNormalization: 'DECODE_AND_MERGE_SLASHES' } as const;
  const compile = (index: number, policies: string) => compileGauged(addressOf(index), policies, settings);
  const nothing = `${plain}---\n${accessPolicy('ALLOW', undefined)}`;
  const permissive = await compile(4, `${peerAuthentication('PERMISSIVE')}---\n${named}`);
  return [
    ...casesOf(await compile(0, `${plain}---\n${allowed}`), 8080, allowedRows),
    ...casesOf(await compile(1, `${plain}---\n${denied}`), 8080, deniedRows),
    ...casesOf(await compile(2, peerAuthentication('STRICT')), 8080, strictRows),
    ...casesOf(await compile(5, `${plain}---\n${several}`), 8080, severalRows),
    ...casesOf(await compile(3, nothing), 8080, [['ALLOW without rules lets nothing pass', get('/x')]]),
    ...casesOf(permissive, 8080, namedRows),
    ...casesOf(await compile(6, `${peerAuthentication('PERMISSIVE')}---\n${unnamed}`), 8080, namedRows),
    ...casesOf(permissive, undeclaredPort, undeclaredRows),
  ];
}

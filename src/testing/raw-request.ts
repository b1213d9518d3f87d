import type { HttpRequest } from '../access/request.ts';
import type { Dice } from './dice.ts';

/** A request over HTTP/1.1 of odd bytes, and what predictions are asked of it. */
export interface RawRequest {
  /** One character a byte. */
  readonly bytes: string;
  readonly request: HttpRequest;
}

type Line = readonly [name: string, value: string];

const common = ['a', 'b', '', 'a,b', 'A', '"a"', 'a\xe9', 'a b', 'a; b', 'a,', 'a\x01'];

/** Headers with what they may say beside the common values. */
const headers: Readonly<Record<string, readonly string[]>> = {
  'x-a': [],
  accept: [],
  cookie: ['a=b', 'a=b; c=d'],
  referer: ['/a', 'https://a/', 'https://u@a/', 'https://a/#b', 'about:blank', 'https://[::1]/', 'https://a:65536'],
  te: ['trailers', 'gzip, trailers', 'Trailers', 'gzip'],
  'content-type': ['application/grpc', 'application/grpc+proto', 'application/grpc-web', 'application/json'],
  expect: ['100-continue', '100-Continue'],
  'x-forwarded-proto': ['http', 'https'],
  'x-forwarded-for': ['1.2.3.4', '1.2.3.4, 5.6.7.8'],
  'x-envoy-retry-on': ['5xx'],
  'x-envoy-original-path': ['/'],
  'x-envoy-decorator-operation': [],
  'x-envoy-attempt-count': ['7'],
  authorization: ['Bearer a.b.c'],
  x_b: [],
  'http2-settings': [],
  upgrade: ['websocket', 'WebSocket', 'h2c', 'foo', 'connect-udp'],
  connection: [
    'Upgrade',
    'Upgrade, x-a',
    'x-a',
    'close',
    'keep-alive',
    'te',
    'host',
    'x-forwarded-for',
    'accept, cookie',
  ],
};

const names = Object.keys(headers);

/** Those by which rules deny: `/has/NAME`, `/is/NAME` with the value `a` and `/not/NAME` with another one. */
export const askedHeaders = names;

const others: readonly Line[] = [
  ['keep-alive', '1'],
  ['proxy-connection', 'keep-alive'],
  ['content-length', '0'],
  ['content-length', 'x'],
  ['transfer-encoding', 'gzip'],
  ['host', 'b'],
  ['host', 'a b'],
  ['x y', 'a'],
  ['x@', 'a'],
  ['', 'a'],
];
const methods = ['HEAD', 'POST', 'OPTIONS', 'QUERY', 'M-SEARCH', 'PURGE', 'get', 'FOO', 'G(T', 'CONNECT', 'PRI'];
const paths = [
  '/',
  '*',
  'a',
  '',
  '/a b',
  '/\xe9',
  '/a#b',
  '/%00',
  '/a\x7f',
  '/\x01',
  '/a%2fb',
  '//a',
  '/../a',
  '/a?b#c',
  '/"',
];
const hosts = ['a', 'httpbin.a:80', 'a b', 'a@b', '', '[::1]', 'a/b', 'a_b', 'a"b'];
const afterColon = [' ', '', '  ', '\t', ' \t '];

/** A request that is odd in few places, so that most of them decide. */
export function rawRequest(dice: Dice): RawRequest {
  const asked = dice.pick(names);
  const path = dice.chance(85) ? oddly(dice, `/${dice.pick(['has', 'is', 'not'])}/${asked}`) : dice.pick(paths);
  const method = dice.chance(85) ? 'GET' : dice.pick(methods);
  const authority = dice.chance(90) ? 'httpbin.a' : dice.pick(hosts);
  const own: Line[] = [];
  for (let left = dice.below(4); left > 0; left--) own.push(line(dice, asked));
  for (let left = dice.below(4); left > 0; left--) own.push(line(dice, dice.pick(names)));
  if (dice.chance(15)) own.push(dice.pick(others));
  const lines = own.map(([name, value]): Line => [cased(dice, name), value + dice.pick(['', '', ' ', '\t'])]);
  const end = dice.chance(90) ? '\r\n' : '\n';
  const text = [
    `${method} ${path} HTTP/1.1`,
    ...[['host', authority] as const, ...lines].map(([name, value]) => `${name}:${dice.pick(afterColon)}${value}`),
    '',
    '',
  ].join(end);
  const before = dice.chance(95) ? '' : '\r\n';
  return { bytes: before + text, request: { method, path, authority, headers: lines } };
}

function line(dice: Dice, name: string): Line {
  const special = headers[name] ?? [];
  return [name, special.length > 0 && dice.chance(60) ? dice.pick(special) : dice.pick(common)];
}

/** The same path in another spelling, now and then. */
function oddly(dice: Dice, path: string): string {
  return dice.chance(80)
    ? path
    : dice.pick([`/x/..${path}`, `/.${path}`, path.replace('s', '%73'), `${path}?q`, `${path}/`]);
}

function cased(dice: Dice, name: string): string {
  return dice.chance(80) ? name : name.toUpperCase();
}

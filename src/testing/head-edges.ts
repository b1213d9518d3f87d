import type { HttpRequest } from '../access/request.ts';

/** A request near the edge of what Envoy takes. */
export interface Edge {
  readonly name: string;
  readonly protocol: 'http/1.1' | 'h2';
  readonly request: HttpRequest;
  /** Protocols to the next proxy over which it depends on what this one adds; `all`: nothing is predicted at all. */
  readonly unknown?: 'all' | readonly ('http/1.1' | 'h2')[];
}

export type Line = readonly [name: string, value: string];
const methods = (
  'ACL BIND CHECKOUT COPY DELETE HEAD LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL MOVE MSEARCH M-SEARCH NOTIFY OPTIONS ' +
  'PATCH POST PRI PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK ' +
  'UNSUBSCRIBE UPDATE VERSION-CONTROL'
).split(' ');

export type Change = Partial<Pick<HttpRequest, 'method' | 'path' | 'authority'>> & {
  readonly headers?: readonly Line[];
};

/** The client of the tests sends it last over HTTP/1.1. */
const last: Line = ['Connection', 'close'];

/** Tables of edges: of Envoy's own limits, of 20 lines and 4 KiB without underscores, and of a second proxy's. */
export function edges(table: 'usual' | 'narrow' | 'behind a proxy'): readonly Edge[] {
  if (table === 'behind a proxy') return behindProxy();
  return table === 'usual'
    ? [...sizes(100, 61_440), ...texts(), ...framings(), ...connections(), ...fields()]
    : [...sizes(20, 4_096), ...underscores(20)];
}

/** One over HTTP/1.1. */
export function text(name: string, { headers = [], ...change }: Change): Edge {
  const request = { method: 'GET', path: '/', authority: 'h', ...change, headers: [...headers, last] };
  return { name: `${name}, HTTP/1.1`, protocol: 'http/1.1', request };
}

function frames(name: string, { headers = [], ...change }: Change): Edge {
  return {
    name: `${name}, HTTP/2`,
    protocol: 'h2',
    request: { method: 'GET', path: '/', authority: 'h', ...change, headers },
  };
}

/** One over HTTP/1.1, and one over HTTP/2. */
export function both(name: string, change: Change): readonly Edge[] {
  return [text(name, change), frames(name, change)];
}

function many(count: number, name: (i: number) => string = (i) => `x-${i}`): readonly Line[] {
  return Array.from({ length: count }, (_, i) => [name(i), 'v']);
}

const long = (length: number): string => 'a'.repeat(length);

/** Most lines and bytes, and one more. */
function sizes(lines: number, bytes: number): readonly Edge[] {
  // "GET / HTTP/1.1", "host: h", "Connection: close" and an empty line, each with its end.
  const ofText = 16 + 9 + 19 + 2;
  // :method GET, :scheme http, :path /, :authority h.
  const ofFrames = 10 + 11 + 6 + 11;
  return [0, 1]
    .flatMap((more) => [
      text(`${lines + more} lines`, { headers: many(lines + more - 2) }),
      frames(`${lines + more} lines`, { headers: many(lines + more - 4) }),
      text(`${lines + more} lines of one name`, { headers: many(lines + more - 2, () => 'x') }),
      frames(`${lines + more} lines of one name`, { headers: many(lines + more - 4, () => 'x') }),
      text(`a path up to ${bytes + more} bytes`, { path: `/${long(bytes + more - ofText)}` }),
      frames(`a path up to ${bytes + more} bytes`, { path: `/${long(bytes + more - ofFrames)}` }),
      text(`a header up to ${bytes + more} bytes`, { headers: [['xy', long(bytes + more - ofText - 6)]] }),
      frames(`a header up to ${bytes + more} bytes`, { headers: [['xy', long(bytes + more - ofFrames - 2)]] }),
      text(`two lines of one header up to ${bytes + more} bytes`, {
        headers: [
          ['accept', long(1_000)],
          ['accept', long(bytes + more - ofText - 1_000 - 20)],
        ],
      }),
      frames(`two lines of one header up to ${bytes + more} bytes`, {
        headers: [
          ['accept', long(1_000)],
          ['accept', long(bytes + more - ofFrames - 1_000 - 7)],
        ],
      }),
    ])
    .concat(
      both(`${lines + 50} lines that Envoy joins`, { headers: many(lines + 50, () => 'x-forwarded-for') }),
      both(`${lines + 50} cookies`, { headers: many(lines + 50, () => 'cookie') }),
      both('a value of 65,537 bytes', { headers: [['x', long(65_537)]] }),
    );
}

/** A name with an underscore before and behind the line that is one too many. */
function underscores(lines: number): readonly Edge[] {
  const strange: Line = ['x_y', 'v'];
  return [
    ...both('an underscore', { headers: [strange] }),
    text('an underscore in the first line of too many', { headers: [strange, ...many(lines)] }),
    text('an underscore in the line that is one too many', { headers: [...many(lines - 1), strange, ...many(9)] }),
    text('an underscore behind the line that is one too many', { headers: [...many(lines), strange] }),
  ];
}

function texts(): readonly Edge[] {
  const values = ['\0', '\x01', '\x08', '\t', '\x0b', '\x1f', ' ', '\x7f', '\x80', '\xff'];
  const hosts = ['@', '%', '"', '/', '\\', ' ', '\x80', '_', ',', '#', '[', '^', '*', '~', '{', '|'];
  return [
    ...values.flatMap((byte) => both(`a value with ${JSON.stringify(byte)}`, { headers: [['x', `a${byte}b`]] })),
    ...hosts.flatMap((byte) => both(`a host with ${JSON.stringify(byte)}`, { authority: `a${byte}b` })),
    ...['x y', 'x"', 'x(', 'x@', '', 'x\x7f', 'x~', '!'].flatMap((name) =>
      both(`a header ${JSON.stringify(name)}`, { headers: [[name, 'v']] }),
    ),
    ...both('a second host', { headers: [['host', 'b']] }),
    ...both('a second host that is no host', { headers: [['host', 'a b']] }),
    ...both('three hosts', { headers: many(2, () => 'host') }),
    text('no host', { authority: '' }),
    frames('an empty host', { authority: '' }),
    ...['get', 'FOO', 'G(T', ...methods].map((method) => text(`method ${method}`, { method })),
    frames('method QUERY', { method: 'QUERY' }),
    text('QUERY with an empty type of its content', { method: 'QUERY', headers: [['content-type', '']] }),
    frames('QUERY with an empty type of its content', { method: 'QUERY', headers: [['content-type', '']] }),
    text('QUERY with a fragment', { method: 'QUERY', path: '/#' }),
    text('QUERY of everything', { method: 'QUERY', path: '*' }),
    ...['*x', '*?a'].map((path) => text(`OPTIONS ${path}`, { method: 'OPTIONS', path })),
    ...both('x-forwarded-proto without a value', { headers: [['x-forwarded-proto', '']] }),
    ...['te trailers', 'te Trailers', 'te a, trailers'].map((line) => text(line, { headers: [['te', line.slice(3)]] })),
    text('QUERY without a host', { method: 'QUERY', authority: '' }),
    text('QUERY with a host that is none', { method: 'QUERY', authority: 'a b' }),
    text('QUERY with a type of its content', { method: 'QUERY', headers: [['content-type', 'text/plain']] }),
    frames('QUERY with a type of its content', { method: 'QUERY', headers: [['content-type', 'text/plain']] }),
    frames('method G(T', { method: 'G(T' }),
    ...both('a malformed host of gRPC', { authority: 'a b', headers: [['content-type', 'application/grpc']] }),
  ];
}

function framings(): readonly Edge[] {
  const lengths = ['0', '00', '5', 'abc', '-1', '', '1,2', '+1', '0x5', '18446744073709551615', '18446744073709551616'];
  const codings = ['Chunked', 'gzip', 'identity', 'gzip, chunked', 'chunked, chunked', '', 'trailers'];
  return [
    ...lengths.flatMap((value) => both(`content-length ${value}`, { headers: [['content-length', value]] })),
    ...both('two lengths', { headers: many(2, () => 'content-length').map(([name]) => [name, '0']) }),
    ...codings.flatMap((value) => both(`transfer-encoding ${value}`, { headers: [['transfer-encoding', value]] })),
    text('two codings', { headers: many(2, () => 'transfer-encoding').map(([name]) => [name, 'chunked']) }),
    ...['chunked', 'gzip'].map((value) =>
      text(`${value} with a length`, {
        headers: [
          ['transfer-encoding', value],
          ['content-length', '0'],
        ],
      }),
    ),
    text('a coding and too many lines', { headers: [...many(120), ['transfer-encoding', 'gzip']] }),
    text('a control and too many lines', { headers: [...many(120), ['x', '\x01']] }),
    text('a wrong length and too many lines', { headers: [...many(120), ['content-length', 'abc']] }),
    text('an unknown method and too much', { method: 'FOO', path: `/${long(70_000)}` }),
    text('a fragment and a coding', { path: '/a#', headers: [['transfer-encoding', 'gzip']] }),
    text('a fragment and a wrong host', { path: '/a#', authority: 'a b' }),
  ];
}

function connections(): readonly Edge[] {
  const asked = [
    'x',
    'a,b,c,d,e,f,g,h',
    'a,b,c,d,e,f,g,h,i',
    'a,,,,,,,,,,,b',
    'host',
    'x-forwarded-for',
    ':path',
    'te',
  ];
  const upgrades = ['websocket', 'WebSocket', 'h2c', 'foo', 'websocket, foo', ''];
  return [
    ...asked.map((value) => text(`connection ${value}`, { headers: [['connection', value]] })),
    ...upgrades
      .filter((value) => value.toLowerCase() !== 'websocket')
      .map((value) =>
        text(`upgrade ${value}`, {
          headers: [
            ['connection', 'Upgrade'],
            ['upgrade', value],
          ],
        }),
      ),
    ...[255, 256].map((length) =>
      text(`connection te with ${length} bytes of it`, {
        headers: [
          ['connection', 'te'],
          ['te', long(length)],
        ],
      }),
    ),
    text('an upgrade that connection does not name', { headers: [['upgrade', 'foo']] }),
    text('the host taken away, and a star', { path: '*', headers: [['connection', 'host']] }),
    text('the host taken away, and a fragment', { path: '/#', headers: [['connection', 'host']] }),
    ...['/', '/a', 'h', 'h:y', 'h:65536', 'a/b:80', '*'].map((path) =>
      text(`CONNECT ${path}`, { method: 'CONNECT', path }),
    ),
    ...['h:80', '[::1]:80'].map(
      (path): Edge => ({ ...text(`CONNECT ${path}`, { method: 'CONNECT', path }), unknown: 'all' }),
    ),
    ...['http://h/', 'ftp://h/', ' /', '/ '].map(
      (path): Edge => ({ ...text(`path ${path}`, { path }), unknown: 'all' }),
    ),
  ];
}

function fields(): readonly Edge[] {
  const ofConnection = ['connection', 'keep-alive', 'proxy-connection', 'upgrade'];
  return [
    ...ofConnection.map((name) => frames(`a header ${name}`, { headers: [[name, 'x']] })),
    ...['trailers', 'Trailers', 'gzip'].map((value) => frames(`te ${value}`, { headers: [['te', value]] })),
    ...['/', '/a'].map((path) => frames(`CONNECT ${path}`, { method: 'CONNECT', path })),
    ...['/a b', '/a\x01', '/a\x7f', '/a\x80', 'a'].map((path) => frames(`path ${JSON.stringify(path)}`, { path })),
  ];
}

/** The first proxy takes all of these. */
function behindProxy(): readonly Edge[] {
  const forOneConnection: readonly Line[] = [
    ['keep-alive', '1'],
    ['proxy-connection', 'x'],
    ['upgrade', 'x'],
    ['te', 'gzip'],
    ['connection', 'x-0'],
  ];
  return [
    text('far below', { headers: many(80) }),
    text('headers that are for one connection', { headers: [...forOneConnection, ...many(83)] }),
    text('a host that HTTP/2 has not', { authority: 'a@b' }),
    text('te without a value', { headers: [['te', '']] }),
    text('an upgrade to WebSocket', {
      headers: [
        ['connection', 'Upgrade'],
        ['upgrade', 'websocket'],
      ],
    }),
    { ...text('lines that what is added makes too many', { headers: many(90) }), unknown: ['http/1.1', 'h2'] },
    { ...frames('as many lines as the first takes', { headers: many(96) }), unknown: ['http/1.1'] },
    text('as many lines as the first takes', { headers: many(98) }),
    {
      ...text('bytes that what is added makes too many', { headers: [['x', long(60_000)]] }),
      unknown: ['http/1.1', 'h2'],
    },
  ];
}

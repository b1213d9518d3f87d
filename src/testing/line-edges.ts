import { both, type Change, type Edge, type Line, text } from './head-edges.ts';

const long = (length: number): string => 'a'.repeat(length);

function large(change: Change): Change {
  return { ...change, headers: [['x', long(62_000)]] };
}

/** First lines that Envoy reads or not, alone and of heads that are too large. */
export function firstLines(): readonly Edge[] {
  const bad = ['a', '/\xe9', '/\x7f', ''].map((path) => ({ method: 'GET', path }));
  const unknown = ['FOO', 'get', 'G(T'].map((method) => ({ method, path: '/' }));
  const odd = ['/\x01', '/ ', 'http://h/'].map((path) => ({ method: 'FOO', path }));
  const good = ['/', '*', '/#'].map((path) => ({ method: 'GET', path }));
  const known = [...bad, ...unknown, ...odd, ...good, { method: 'CONNECT', path: '/' }];
  const controls = ['\x01', '/\x01', '/a\x01b', '/a\tb', '/\x0c', '/\xe9\x7f', '*\x01'];
  return [
    ...controls.flatMap((path) =>
      ['GET', 'FOO'].map((method) => text(`${method} ${JSON.stringify(path)}`, { method, path })),
    ),
    ...known.map((change) => text(`${change.method} ${JSON.stringify(change.path)} and too much`, large(change))),
    ...[40_000, 50_000, 61_500].map((length): Edge => {
      const edge = text(`FOO with ${length} bytes and too much`, large({ method: 'FOO', path: `/${long(length)}` }));
      return length === 50_000 ? { ...edge, unknown: 'all' } : edge;
    }),
    ...['/\x01', '/ ', 'http://h/'].map(
      (path): Edge => ({ ...text(`GET ${JSON.stringify(path)} and too much`, large({ path })), unknown: 'all' }),
    ),
  ];
}

/** Requests of gRPC and others whose path no proxy takes: the status tells what Envoy takes them for. */
export function grpcTypes(): readonly Edge[] {
  const types = [
    ...['application/grpc', 'application/grpc+proto', 'application/grpc;x', 'APPLICATION/GRPC', 'application/grpc-web'],
    ...[' application/grpc', 'application/grpc ', ''],
  ].map((type) => [type]);
  const several = [
    ['application/grpc', 'a'],
    ['a', 'application/grpc'],
    ['application/grpc+proto', 'a'],
    ['application/grpc', ''],
    ['', 'application/grpc'],
    ['application/grpc', 'application/grpc'],
  ];
  return [...types, ...several].flatMap((lines) =>
    both(`types ${JSON.stringify(lines)}`, {
      path: '/%00',
      headers: lines.map((type): Line => ['content-type', type]),
    }),
  );
}

/** Requests for a tunnel for UDP, and what `connection` names beside another protocol. */
export function tunnels(): readonly Edge[] {
  const begin = '/.well-known/masque/udp/';
  const targets = [
    '',
    'a',
    'a/80',
    'a/80/',
    'a/80/x',
    'a/80/?q',
    'a/80/#f',
    'a//',
    '/80/',
    'a/b/',
    '::1/80/',
    '../80/',
  ];
  const escaped = ['a%3Ab/80/', 'a%2Fb/80/', 'a%25b/80/', 'a%/80/', '%00/80/', 'a/8%25/', 'a%zz/80/'];
  const paths = ['/', '/x', '*', `/x/..${begin}a/80/`, ...[...targets, ...escaped].map((end) => begin + end)];
  const asked = (value: string, connection = 'Upgrade'): readonly Line[] => [
    ['connection', connection],
    ['upgrade', value],
  ];
  return [
    ...paths.map((path) => text(`connect-udp ${path}`, { path, headers: asked('connect-udp') })),
    ...['CONNECT-UDP', ' connect-udp ', 'connect-udp,', 'connect-udp, websocket', 'connect-udp/1'].map((value) =>
      text(`upgrade ${JSON.stringify(value)}`, { headers: asked(value) }),
    ),
    text('connect-udp and an empty line', { headers: [...asked('connect-udp'), ['upgrade', '']] }),
    text('two lines of connect-udp', { headers: [...asked('connect-udp'), ['upgrade', 'connect-udp']] }),
    text('connect-udp that connection does not name', { headers: asked('connect-udp', 'x') }),
    {
      ...text('connect-udp to a target that connection does not name', {
        path: `${begin}a/80/`,
        headers: asked('connect-udp', 'x'),
      }),
      unknown: 'all',
    },
    text('connect-udp of everything', { method: 'OPTIONS', path: '*', headers: asked('connect-udp') }),
    text('connect-udp by QUERY', { method: 'QUERY', headers: asked('connect-udp') }),
    text('connect-udp to a target by QUERY', { method: 'QUERY', path: `${begin}a/80/`, headers: asked('connect-udp') }),
    text('QUERY with a type of blanks', { method: 'QUERY', headers: [['content-type', ' \t']] }),
    text('a host that is none and is taken away', { authority: 'a/b', headers: [['connection', 'host']] }),
    text('connect-udp without its host, by connection alone', { headers: asked('connect-udp', 'host') }),
    text('connect-udp without its host', { headers: asked('connect-udp', 'Upgrade, host') }),
    text('connect-udp to a target without its host', {
      path: `${begin}a/80/`,
      headers: asked('connect-udp', 'Upgrade, host'),
    }),
    text('connect-udp and a host that is none', { authority: 'a b', headers: asked('connect-udp') }),
    text('connect-udp of gRPC', { headers: [...asked('connect-udp'), ['content-type', 'application/grpc']] }),
    ...['Upgrade, host', 'Upgrade, x-forwarded-for', 'Upgrade, :path', 'Upgrade,a,b,c,d,e,f,g,h,i'].flatMap(
      (connection) =>
        ['foo', 'connect-udp', 'h2c', ''].map((value) =>
          text(`connection ${connection} and upgrade ${value}`, { headers: asked(value, connection) }),
        ),
    ),
  ];
}

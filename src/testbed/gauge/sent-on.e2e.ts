import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EdgeEnvoy, type EdgeListener } from '../../testing/edge-envoy.ts';
import { both, type Edge, text } from '../../testing/head-edges.ts';

const told = ['x-envoy-attempt-count', 'x-envoy-original-host', 'x-envoy-original-path', 'x-envoy-decorator-operation'];
const seen = [':path', ':authority', ...told];

const set = (key: string, value: string): object => ({
  request_headers_to_add: [{ header: { key, value }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' }],
});
const weighted = { weighted_clusters: { clusters: [{ name: 'next', weight: 1, host_rewrite_literal: 'weighted' }] } };

/** What a route may do to a request, by the begin of its path. */
const actions: readonly (readonly [path: string, action: object, more?: object])[] = [
  ['/plain', { cluster: 'next' }],
  ['/host', { cluster: 'next', host_rewrite_literal: 'other' }],
  ['/same-host', { cluster: 'next', host_rewrite_literal: 'h' }],
  ['/weighted', weighted],
  ['/both-hosts', { ...weighted, host_rewrite_literal: 'other' }],
  ['/path', { cluster: 'next', prefix_rewrite: '/p' }],
  ['/same-path', { cluster: 'next', prefix_rewrite: '/same-path' }],
  ['/regex', { cluster: 'next', regex_rewrite: { pattern: { regex: 'e' }, substitution: 'i' } }],
  ['/no-regex', { cluster: 'next', regex_rewrite: { pattern: { regex: 'q' }, substitution: 'i' } }],
  ...told.map((name) => [`/set-${name}`, { cluster: 'next', prefix_rewrite: '/p' }, set(name, '9')] as const),
];
const routes = actions.map(([prefix, route, more]) => ({ match: { prefix }, name: prefix, route, ...more }));
/** Headers that are put together from what the client sends, or is not there. */
const formed = [
  'OVERWRITE_IF_EXISTS_OR_ADD',
  'APPEND_IF_EXISTS_OR_ADD',
  'ADD_IF_ABSENT',
  'OVERWRITE_IF_EXISTS',
].flatMap((append_action) =>
  ['%REQ(x-own)%', '%REQ(x-own)%%REQ(x-other)%', 'a%REQ(x-own)%', '%%%REQ(x-own)%'].map((value) => ({
    match: { prefix: `/formed/${append_action}/${encodeURIComponent(value)}/` },
    name: `${append_action} ${value}`,
    route: { cluster: 'next' },
    request_headers_to_add: [{ header: { key: 'x-formed', value }, append_action }],
  })),
);
const counting = { include_request_attempt_count: true };
const silent = { suppress_envoy_headers: true };

const grpcWeb = {
  name: 'envoy.filters.http.grpc_web',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.grpc_web.v3.GrpcWeb' },
};

/** Proxies in front: sidecars of clients and gateways tell of themselves or not, and count attempts or not. */
const fronts: Readonly<Record<string, EdgeListener>> = {
  'tells and counts': { routes, virtualHost: counting },
  tells: { routes },
  forms: { routes: formed },
  counts: { routes, virtualHost: counting, router: silent },
  'does neither': { routes, router: silent },
  'traces what comes in': { routes, direction: 'INBOUND', settings: { tracing: {} } },
  'traces what goes out': { routes, direction: 'OUTBOUND', settings: { tracing: {} } },
  'knows gRPC-Web': { routes, filters: [grpcWeb] },
  'traces by a format': { routes, direction: 'INBOUND', settings: { tracing: { operation: '%PROTOCOL%' } } },
};

let envoy: EdgeEnvoy;

beforeAll(async () => {
  const next: EdgeListener = { routes: [{ match: { prefix: '/' }, name: 'all', direct_response: { status: 200 } }] };
  envoy = await EdgeEnvoy.start(
    { ...fronts, next },
    [{ name: 'next', listener: 'next', protocol: 'http_protocol_options' }],
    [...seen, ...ofConnection, ...ofGrpcWeb, 'x-formed'],
  );
}, 120_000);

afterAll(() => envoy.stop());

const ofGrpcWeb = ['content-type', 'te', 'grpc-accept-encoding'];

const types = ['-web', '-web+proto', '-web-text', '-web-text+proto', '-web+json', '-web; a=b', '', '+proto'].flatMap(
  (end) =>
    [[], [['te', 'gzip'] as const], [['grpc-accept-encoding', 'own'] as const]].flatMap((more) =>
      both(`application/grpc${end} ${JSON.stringify(more)}`, {
        method: 'POST',
        path: '/plain',
        headers: [['content-type', `application/grpc${end}`], ...more],
      }).filter(({ protocol }) => protocol === 'http/1.1' || !JSON.stringify(more).includes('gzip')),
    ),
);
const twoTypes = [' application/grpc-web', 'Application/grpc-web'].flatMap((type) =>
  both(JSON.stringify(type), { method: 'POST', path: '/plain', headers: [['content-type', type]] }),
);

/** Headers that are for one connection, or that `connection` may name. */
const ofConnection = ['x-a', 'te', 'http2-settings', 'keep-alive', 'upgrade'];

const changes = ['websocket', 'WebSocket', 'h2c', ' h2c', undefined].flatMap((upgrade) =>
  ['Upgrade, x-a', 'upgrade ,x-a', 'x-a', 'Upgrade, te', 'Upgrade', 'close', '"upgrade"', 'upgrade;q=1'].flatMap(
    (connection) =>
      ['trailers', 'gzip'].map((te) => {
        const lines = [
          ['connection', connection],
          ['x-a', '1'],
          ['te', te],
          ['http2-settings', '1'],
          ['keep-alive', '1'],
        ] as const;
        const headers = upgrade === undefined ? lines : [...lines, ['upgrade', upgrade] as const];
        return text(`${upgrade}, connection ${connection}, te ${te}`, { path: '/plain', headers });
      }),
  ),
);

describe('what a proxy sends on', () => {
  test.each(
    Object.keys(fronts)
      .filter((front) => front !== 'forms')
      .flatMap((front) =>
        actions.flatMap(([path]) => [
          { front, edge: text(path, { path: `${path}?q` }) },
          { front, edge: text(path, { path: `${path}?q`, headers: told.map((name) => [name, 'own'] as const) }) },
        ]),
      ),
  )('that $front: $edge.name', async ({ front, edge }) => {
    const outcome = envoy.predict(front, edge.protocol, edge.request);
    if (outcome.kind !== 'reaches' || outcome.request === undefined) throw new Error(outcome.kind);
    const { path, authority, headers } = outcome.request;
    const predicted = [path, authority, ...told.map((name) => headers.find(([one]) => one === name)?.[1] ?? '-')];
    const before = envoy.lines('next').length;
    await envoy.observe(front, edge);
    expect(seen.map((name) => envoy.lines('next')[before]?.headers[name] ?? '-')).toEqual(predicted);
  });

  test.each([...types, ...twoTypes])('of gRPC-Web: $name', async (edge) => {
    await compare('knows gRPC-Web', edge, ofGrpcWeb);
  });

  test.each(changes)('of what is for one connection: $name', async (edge) => {
    await compare('tells', edge, ofConnection);
  });
});

const lines = [[], ['x-own'], ['x-formed'], ['x-own', 'x-formed']].map((names) =>
  names.map((name) => [name, `of ${name}`] as const),
);

describe('a header of a value that only the proxy knows', () => {
  test.each(
    formed.flatMap(({ name, match: { prefix } }) =>
      lines.map((headers) => text(`${name}, ${JSON.stringify(headers)}`, { path: prefix, headers })),
    ),
  )('is there where it is predicted, and else may be: $name', async (edge) => {
    const outcome = envoy.predict('forms', edge.protocol, edge.request);
    if (outcome.kind !== 'reaches' || outcome.request === undefined) throw new Error(outcome.kind);
    const { headers, opaque = [] } = outcome.request;
    const told = headers.find(([name]) => name === 'x-formed')?.[1];
    const before = envoy.lines('next').length;
    await envoy.observe('forms', edge);
    const value = envoy.lines('next')[before]?.headers['x-formed'];
    if (!opaque.includes('x-formed')) expect(value).toBe(told ?? null);
    else if (told !== undefined) expect(value).toEqual(expect.any(String));
  });
});

/** What the next proxy sees of these headers. */
async function compare(front: string, edge: Edge, names: readonly string[]): Promise<void> {
  const outcome = envoy.predict(front, edge.protocol, edge.request);
  if (outcome.kind !== 'reaches' || outcome.request === undefined) throw new Error(outcome.kind);
  const { headers } = outcome.request;
  const before = envoy.lines('next').length;
  await envoy.observe(front, edge);
  const seen = envoy.lines('next')[before]?.headers;
  // The next one reads HTTP/1.1, where blanks around a value are no part of it.
  const predicted = names.map((name) => headers.find(([one]) => one === name)?.[1].trim() ?? '-');
  expect(names.map((name) => seen?.[name] ?? '-')).toEqual(predicted);
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusOfReset } from '../../access/evaluate/answer.ts';
import { EdgeEnvoy, type EdgeListener, expected } from '../../testing/edge-envoy.ts';
import { edges } from '../../testing/head-edges.ts';
import { headerValues, refererValues, routedHeaders } from '../../testing/header-values.ts';
import { firstLines, grpcTypes, tunnels } from '../../testing/line-edges.ts';

const to = (cluster: string): EdgeListener['routes'] => [
  { match: { prefix: '/' }, name: cluster, route: { cluster, timeout: '0s' } },
];
const answer: EdgeListener['routes'][number] = {
  match: { prefix: '/' },
  name: 'all',
  direct_response: { status: 200 },
};

/** Each header under test is in one of these routes, by the value that its lines have together; the status tells which. */
const routesByHeaders = routedHeaders.flatMap((name) =>
  ['a', 'a,b', 'a; b', 'b', ''].map((exact, i) => {
    const headers = [{ name, string_match: { exact } }];
    return { match: { prefix: '/', headers }, name: `${name} ${i}`, direct_response: { status: 201 + i } };
  }),
);
const refererRoute = {
  match: { prefix: '/', headers: [{ name: 'referer', present_match: true }] },
  name: 'referer',
  direct_response: { status: 210 },
};

let envoy: EdgeEnvoy;

beforeAll(async () => {
  envoy = await EdgeEnvoy.start(
    {
      usual: { routes: to('application') },
      narrow: {
        settings: {
          max_request_headers_kb: 4,
          common_http_protocol_options: { max_headers_count: 20, headers_with_underscores_action: 'REJECT_REQUEST' },
        },
        routes: to('application'),
      },
      'before HTTP/1.1': { routes: to('usual') },
      'before HTTP/2': { routes: to('usual over HTTP/2') },
      headers: { routes: [...routesByHeaders, refererRoute, answer] },
      // Takes whatever the others take.
      application: {
        settings: { max_request_headers_kb: 1_024, common_http_protocol_options: { max_headers_count: 1_000 } },
        routes: [answer],
      },
    },
    [
      { name: 'application', listener: 'application', protocol: 'http_protocol_options' },
      { name: 'usual', listener: 'usual', protocol: 'http_protocol_options' },
      { name: 'usual over HTTP/2', listener: 'usual', protocol: 'http2_protocol_options' },
    ],
  );
}, 120_000);

afterAll(() => envoy.stop());

describe('requests at the edges of what Envoy takes', () => {
  test.each([...edges('usual'), ...firstLines(), ...grpcTypes(), ...tunnels()])(
    'the usual limits: $name',
    async (edge) => {
      const outcome = envoy.predict('usual', edge.protocol, edge.request);
      expect(outcome.kind === 'unmodelled').toBe(edge.unknown === 'all');
      if (outcome.kind !== 'unmodelled') expect(await envoy.observe('usual', edge)).toEqual(expected(outcome));
    },
  );

  test.each([...headerValues(), ...refererValues()])('lines of a header: $name', async (edge) => {
    const outcome = envoy.predict('headers', edge.protocol, edge.request);
    expect(await envoy.observe('headers', edge)).toEqual(expected(outcome));
  });

  test.each(edges('narrow'))('limits in the configuration: $name', async (edge) => {
    const outcome = envoy.predict('narrow', edge.protocol, edge.request);
    expect(await envoy.observe('narrow', edge)).toEqual(expected(outcome));
  });

  test.each(edges('behind a proxy'))('limits of the next proxy: $name', async (edge) => {
    for (const [front, protocol] of [
      ['before HTTP/1.1', 'http/1.1'],
      ['before HTTP/2', 'h2'],
    ] as const) {
      const first = envoy.predict(front, edge.protocol, edge.request);
      if (first.kind !== 'reaches' || first.request === undefined) throw new Error(first.kind);
      const second = envoy.predict('usual', protocol, first.request);
      const isUnknown = edge.unknown?.includes(protocol) === true;
      expect(second.kind === 'unmodelled', front).toBe(isUnknown);
      if (isUnknown) continue;
      const { status } = await envoy.observe(front, edge);
      // The client of a stream that the next proxy resets gets an answer of the first.
      const answer = second.kind === 'answered' ? second.status : 200;
      expect(status, front).toBe(String(second.kind === 'reset' ? statusOfReset(second.details) : answer));
    }
  });
});

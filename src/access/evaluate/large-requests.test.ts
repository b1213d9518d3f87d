import { describe, expect, test } from 'vitest';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { travel } from './journey.ts';

const pod = (name: string, address: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: foo, labels: {app: ${name}}}
spec: {serviceAccountName: ${name}, containers: [{name: app}]}
status: {podIP: ${address}}
---
`;
const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec:
  selector: {app: web}
  clusterIP: 10.96.0.1
  ports: [{name: http, port: 80, targetPort: 8080}, {name: grpc, port: 90, targetPort: 9090}]
---
${pod('web', '10.0.0.1')}${pod('curl', '10.0.0.2')}`;

const ports = { 'http/1.1': 80, h2: 90 } as const;

describe('a large request from one sidecar to the other', () => {
  test.each([
    ['few lines', 'http/1.1', 10, 'reaches', ['client', 'server']],
    [
      'as many as the first proxy takes, over HTTP/1.1',
      'http/1.1',
      99,
      '431 http1.too_many_headers',
      ['client', 'server'],
    ],
    ['as many as the first proxy takes, over HTTP/2', 'h2', 96, '503 http2.too_many_headers', ['client', 'server']],
    ['one more, over HTTP/2', 'h2', 97, 'http2.too_many_headers', ['client']],
  ] as const)('of %s', (_, protocol, count, expected, sides) => {
    const headers = Array.from({ length: count }, (_one, i) => [`x-${i}`, 'v'] as const);
    const [way] = ways(protocol, { path: '/', headers });
    expect(way?.told).toBe(expected);
    expect(way?.sides).toEqual(sides);
  });

  test.each([
    [16_369, 'reaches'],
    [16_370, 'a first line so long that its way depends on how many packets bring it'],
  ])('with a path of %i bytes', (length, expected) => {
    const path = `/${'a'.repeat(length - 1)}`;
    expect(ways('http/1.1', { path, headers: [] }).map(({ told }) => told)).toEqual([expected]);
  });
});

test('an upgrade to WebSocket that goes on over HTTP/2 is answered with 502, as the other sidecar resets the stream', () => {
  const headers = [
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
  ] as const;
  const [way] = ways('http/1.1', { path: '/', headers }, ports.h2);
  expect(way).toEqual({ told: '502 http2.invalid.header.field', sides: ['client', 'server'] });
});

test.each(['http://web/x', 'HTTPS://web/x', 'ftp://web/x'])(
  'what a first line with the URL %s leads to is not known',
  (path) => {
    const [way] = ways('http/1.1', { path, headers: [] });
    expect(way).toEqual({ told: 'a URL with a host in place of the path', sides: ['client'] });
  },
);

function ways(
  protocol: keyof typeof ports,
  { path, headers }: { readonly path: string; readonly headers: readonly (readonly [string, string])[] },
  port: number = ports[protocol],
): readonly { readonly told: string; readonly sides: readonly string[] }[] {
  const request = { method: 'GET', path, authority: 'web', headers };
  const from = { kind: 'workload', namespace: 'foo', name: 'curl' } as const;
  const to = { address: '10.96.0.1', port };
  return travel(compiledWorld([mesh]), { from, to, protocol, request }, { now: 0 }).map(({ outcome, legs }) => {
    const told =
      outcome.kind === 'answered'
        ? `${outcome.status} ${outcome.details}`
        : outcome.kind === 'unmodelled'
          ? outcome.at
          : outcome.kind === 'reaches'
            ? outcome.kind
            : outcome.details;
    return { told, sides: legs.map(({ side }) => side) };
  });
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gateway, grant, route, to } from './testing/standard-objects.ts';
import { startTlsGates, type TlsGates } from './testing/tls-gates.ts';

const passing = (name: string, more = ''): string =>
  `{name: ${name}, port: 443, protocol: TLS, tls: {mode: Passthrough}${more}}`;
const open = gateway(passing('tls'));

const tlsRoute = (path: string, hostnames: readonly string[], backends: string, more = {}): string =>
  route(path, [`{${backends}}`], { kind: 'TLSRoute', hostnames, ...more });

/** Objects by what is tried of the standard. */
const objects = {
  simple: open + tlsRoute('infra/simple', ['abc.example.com'], to('v1')),
  'server names':
    open +
    tlsRoute('infra/exact', ['a.example.com'], to('v1')) +
    tlsRoute('infra/wild', ['*.example.com'], to('v2')) +
    tlsRoute('infra/wilder', ['*.com'], to('v3')),
  listeners:
    gateway(passing('wild', ', hostname: "*.example.com"'), passing('exact', ', hostname: shut.example.com')) +
    tlsRoute('infra/wild', ['*.example.com', 'example.org'], to('v1'), { parent: ', sectionName: wild' }),
  age:
    open +
    tlsRoute('infra/a-newer', ['a.example.com', 'b.example.com'], to('v2'), { month: 2 }) +
    tlsRoute('infra/b-older', ['a.example.com'], to('v1'), { month: 1 }),
  'no grant': open + tlsRoute('infra/other', ['a.example.com'], to('web/app')),
  'a grant':
    open + tlsRoute('infra/other', ['a.example.com'], to('web/app')) + grant('infra').replace('HTTPRoute', 'TLSRoute'),
  'unusable backends': open + tlsRoute('infra/half', ['a.example.com'], to(['v1', 1], ['gone', 1], ['v2', 0])),
} as const;

let gates: TlsGates;

beforeAll(async () => {
  gates = await startTlsGates(objects);
});

afterAll(() => gates?.close());

describe('a TLSRoute', () => {
  test.each([
    ['simple', 'abc.example.com', 'v1.infra'],
    ['simple', 'ABC.example.com', 'v1.infra'],
    ['simple', 'other.example.com', undefined],
    ['simple', undefined, undefined],
    ['server names', 'a.example.com', 'v1.infra'],
    ['server names', 'b.example.com', 'v2.infra'],
    ['server names', 'c.b.example.com', 'v2.infra'],
    ['server names', 'example.com', 'v3.infra'],
    ['server names', 'example.org', undefined],
    ['listeners', 'open.example.com', 'v1.infra'],
    ['listeners', 'shut.example.com', undefined],
    ['listeners', 'example.org', undefined],
    ['age', 'a.example.com', 'v1.infra'],
    ['age', 'b.example.com', 'v2.infra'],
    ['no grant', 'a.example.com', undefined],
    ['a grant', 'a.example.com', 'app.web'],
  ] as const)('of the objects "%s" takes a connection for %s to %s', async (name, serverName, backend) => {
    expect(await gates.reached(name, serverName)).toBe(backend);
  });

  test('closes the share of a backend that cannot be used', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => gates.reached('unusable backends', 'a.example.com')),
    );
    const closed = answers.filter((answer) => answer === undefined).length;
    expect(new Set(answers)).toEqual(new Set(['v1.infra', undefined]));
    // Seven standard deviations.
    expect(Math.abs(closed - 100)).toBeLessThan(50);
  });
});

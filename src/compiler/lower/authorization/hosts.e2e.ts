import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tries } from '../../../testing/effort.ts';
import { authorities } from '../../../testing/generated-authorities.ts';
import type { AuthorityWay } from '../testing/ask-authorities.ts';
import type { InboundGates } from '../testing/inbound-gate.ts';
import { type Rules, startRuleGates } from './testing/rule-gates.ts';

const rules: Rules = {
  'deny hosts': [['DENY', '[{to: [{operation: {hosts: [exact.example, "prefix*", "*.suffix.example"]}}]}]']],
  'allow hosts': [['ALLOW', '[{to: [{operation: {hosts: [exact.example, "*.suffix.example"]}}]}]']],
  'allow hosts by prefix': [['ALLOW', '[{to: [{operation: {hosts: ["exact*"]}}]}]']],
  'deny all other hosts': [['DENY', '[{to: [{operation: {notHosts: [exact.example, "*.suffix.example"]}}]}]']],
  'allow a host header': [
    ['ALLOW', '[{when: [{key: "request.headers[Host]", values: [exact.example, "*.suffix.example"]}]}]'],
  ],
  'allow other hosts': [['ALLOW', '[{to: [{operation: {notHosts: [exact.example]}}]}]']],
};

let gates: InboundGates;

beforeAll(async () => {
  gates = await startRuleGates(rules, '');
});
afterAll(() => gates?.close());

describe('rules about hosts', () => {
  test.each<readonly [gate: string, host: string, status: number]>([
    ['deny hosts', 'exact.example', 403],
    ['deny hosts', 'EXACT.Example', 403],
    ['deny hosts', 'exact.example:8080', 403],
    ['deny hosts', 'exact.example.', 403],
    ['deny hosts', 'exact.example.:80', 403],
    ['deny hosts', 'exact.example:', 403],
    ['deny hosts', 'exact.example:abc', 403],
    ['deny hosts', 'u@exact.example', 403],
    ['deny hosts', 'a.example\r\nHost: exact.example', 403],
    ['deny hosts', 'exact.example\r\nHost: a.example', 403],
    ['deny hosts', '', 403],
    ['deny hosts', 'Prefix.example', 403],
    ['deny hosts', 'a.suffix.example:80', 403],
    ['deny hosts', 'a.SUFFIX.example.', 403],
    ['deny hosts', 'other.example', 200],
    ['deny hosts', 'exact.example.org', 200],
    ['allow hosts', 'exact.example:80', 200],
    ['allow hosts', 'Exact.Example', 200],
    ['allow hosts', 'a.suffix.example', 200],
    ['allow hosts', 'suffix.example', 403],
    ['allow hosts', 'other.example', 403],
    ['allow hosts', 'exact.example.org', 403],
    ['allow hosts', 'exact.example.', 200],
    ['allow hosts', 'exact.example.:80', 200],
    ['allow hosts', 'exact.example..', 403],
    ['allow hosts', 'exact.example:', 403],
    ['allow hosts', 'exact.example:@evil.example', 403],
    ['allow hosts', 'exact.example:,evil.example', 403],
    ['allow hosts', 'exact.example\r\nHost: evil.example', 403],
    ['allow hosts', 'internal:80.suffix.example', 403],
    ['allow hosts', 'internal:.suffix.example', 403],
    ['allow hosts', 'evil.example,a.suffix.example', 403],
    ['allow hosts', '[a.suffix.example:]internal', 403],
    ['allow hosts by prefix', 'exact.other:80', 200],
    ['allow hosts by prefix', 'exact:80@evil.example', 403],
    ['allow hosts by prefix', 'exact:]evil.example', 403],
    ['deny all other hosts', 'a.suffix.example:80', 200],
    ['deny all other hosts', 'internal:80.suffix.example', 403],
    ['allow a host header', 'a.suffix.example:80', 200],
    ['allow a host header', 'internal:80.suffix.example', 403],
    ['allow other hosts', 'other.example', 200],
    ['allow other hosts', 'exact.example:80', 403],
    ['allow other hosts', 'u@exact.example', 403],
  ])('%s: host %j is answered %i', async (gate, host, status) => {
    expect(await gates.sendRaw(gate, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe(status);
  });

  test('see the host of an absolute URL, not the header', async () => {
    const bytes = 'GET http://exact.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n';
    expect(await gates.sendRaw('deny hosts', bytes)).toBe(403);
  });

  test.each(['Exact.example:81', 'exact.example.'])('deny the authority %s over HTTP/2', async (authority) => {
    expect(await gates.sendHttp2('deny hosts', { ':authority': authority })).toBe(403);
  });
});

const count = tries(100, 160);
const seed = Number(process.env.GENERATED_SEED ?? Math.trunc(Math.random() * 2 ** 31));

describe(`of ${count} generated authorities`, () => {
  const ways: readonly AuthorityWay[] = ['Host', 'URL', ':authority'];
  const near = ['exact.example', 'a.suffix.example', 'suffix.example', 'x.exact.example', '.suffix.example'];
  const generated = fc.sample(authorities(near), { numRuns: count, seed });
  const isNamed = (host: string): boolean => host === 'exact.example' || /^[^.].*\.suffix\.example$/.test(host);
  const cases: readonly [string, (host: string) => boolean][] = [
    ['allow hosts', isNamed],
    ['deny all other hosts', isNamed],
    ['allow a host header', isNamed],
    ['allow hosts by prefix', (host) => host.startsWith('exact')],
  ];

  test.each(cases)(
    '%s: only requests reach the application whose host the rule names in every reading',
    async (gate, named) => {
      const evaded: string[] = [];
      let granted = 0;
      for (const way of ways) {
        const plain = await gates.askAuthorities(gate, way, ['exact.example:80', ...generated]);
        for (const body of plain.filter((answer) => answer.startsWith('{'))) {
          const { host } = (JSON.parse(body) as { readonly headers: { readonly host: string } }).headers;
          granted += 1;
          if (!hostReadings(host).every(named)) evaded.push(`${way} ${JSON.stringify(host)}`);
        }
      }
      expect(evaded, `GENERATED_SEED=${seed}`).toEqual([]);
      expect(granted).toBeGreaterThanOrEqual(ways.length);
    },
  );
});

/** What parsers make of an authority, careless ones among them: hosts in lower case, without a port. */
function hostReadings(authority: string): readonly string[] {
  const text = authority.toLowerCase();
  const parts = [text, ...text.split(/[@,;/\\?#\s]/), ...text.split(/[[\]]/)];
  const hosts = parts.flatMap((part) => [part.replace(/:.*$/, ''), part.replace(/:[^:]*$/, '')]);
  const url = `http://${text}/`;
  return [...hosts, ...(URL.canParse(url) ? [new URL(url).hostname] : [])];
}

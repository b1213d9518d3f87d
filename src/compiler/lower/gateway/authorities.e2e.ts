import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tries } from '../../../testing/effort.ts';
import { authorities } from '../../../testing/generated-authorities.ts';
import type { AuthorityWay } from '../testing/ask-authorities.ts';
import { type EdgeGates, startEdgeGates } from './testing/edge-gates.ts';

const count = tries(100, 160);
const seed = Number(process.env.GENERATED_SEED ?? Math.trunc(Math.random() * 2 ** 31));
/** One for each route, whatever the seed. */
const plain = ['example.com', 'a.example.com:80', 'internal.corp', 'x.corp', 'public', 'evil.test', '.:80'];
const generated = [...plain, ...fc.sample(authorities(), { numRuns: count, seed })];

/** A Gateway for all hosts, and routes each of which answers with its own label. */
const head = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {namespace: mesh-system, name: edge}
spec: {selector: {mesh: ingressgateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
`;

const virtualService = (name: string, host: string, http: string): string => `---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {namespace: mesh-system, name: ${name}}
spec: {hosts: ["${host}"], gateways: [edge], http: [${http}]}
`;

const answer = (label: string, match = ''): string =>
  `{${match}directResponse: {status: 200, body: {string: "${label}"}}}`;

/**
 * The routes for all other requests. Of some authorities Envoy leaves nothing (blanks, a final dot and a port are taken
 * away, of a URL user and path too): those are for no host, and every rule about hosts refuses them.
 */
const noHost = 'no host';
const others = `${answer('*', 'match: [{authority: {regex: ".+"}}], ')}, ${answer(noHost)}`;

const byHost = ['example.com', '*.example.com', 'internal.corp', '*.corp', '*']
  .map((host, i) => virtualService(`v${i}`, host, host === '*' ? others : answer(host)))
  .join('');

const byAuthority = virtualService(
  'v',
  '*',
  [
    answer('example.com', 'match: [{authority: {exact: example.com}}], '),
    answer('internal.corp', 'match: [{headers: {":authority": {exact: internal.corp}}}], '),
    answer('public*', 'match: [{authority: {prefix: public}}], '),
    others,
  ].join(', '),
);

const routings = { 'virtual hosts': byHost, 'authority matches': byAuthority };

/** A form of a rule: `HOSTS` stands for its values. */
interface Form {
  readonly form: string;
  readonly action: 'ALLOW' | 'DENY';
  readonly rule: string;
  readonly letsIn: 'what it names' | 'all else';
}

const operation = (field: string): string => `{to: [{operation: {${field}: HOSTS}}]}`;
const condition = (key: string, field: string): string => `{when: [{key: "request.headers[${key}]", ${field}: HOSTS}]}`;

const forms: readonly Form[] = [
  { form: 'ALLOW hosts', action: 'ALLOW', rule: operation('hosts'), letsIn: 'what it names' },
  { form: 'ALLOW notHosts', action: 'ALLOW', rule: operation('notHosts'), letsIn: 'all else' },
  { form: 'DENY hosts', action: 'DENY', rule: operation('hosts'), letsIn: 'all else' },
  { form: 'DENY notHosts', action: 'DENY', rule: operation('notHosts'), letsIn: 'what it names' },
  { form: 'ALLOW :authority', action: 'ALLOW', rule: condition(':authority', 'values'), letsIn: 'what it names' },
  { form: 'DENY not Host', action: 'DENY', rule: condition('Host', 'notValues'), letsIn: 'what it names' },
];

/** Values of a rule, and the labels of the routes that serve them and nothing else. */
const named: readonly (readonly [routing: keyof typeof routings, hosts: string, labels: readonly string[]])[] = [
  ['virtual hosts', '[example.com]', ['example.com']],
  ['virtual hosts', '["*.example.com"]', ['*.example.com']],
  ['virtual hosts', '["*.corp"]', ['internal.corp', '*.corp']],
  ['virtual hosts', '[Internal.Corp, "*.Example.com"]', ['internal.corp', '*.example.com']],
  ['authority matches', '[example.com]', ['example.com']],
  ['authority matches', '[internal.corp]', ['internal.corp']],
  ['authority matches', '["public*"]', ['public*']],
];

const policy = ({ action, rule }: Form, hosts: string): string => `---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {namespace: mesh-system, name: p}
spec: {action: ${action}, rules: [${rule.replace('HOSTS', hosts)}]}
`;

const denyOfPorts = policy(
  { form: 'DENY of ports', action: 'DENY', rule: operation('hosts'), letsIn: 'all else' },
  '["internal.corp:8080", "*.example.com:8443"]',
);

const cases = forms.flatMap((form) =>
  named.map(([routing, hosts, labels]) => ({ gate: `${form.form} ${hosts} ${routing}`, form, routing, hosts, labels })),
);
const ways: readonly AuthorityWay[] = ['Host', 'URL', ':authority'];

describe(`${count} generated authorities at a gateway`, () => {
  let gates: EdgeGates;
  const served = new Map<string, readonly string[]>();
  beforeAll(async () => {
    const bare = Object.entries(routings).map(([name, text]) => [name, head + text]);
    const ruled = cases.map(({ gate, form, routing, hosts }) => [gate, head + routings[routing] + policy(form, hosts)]);
    const ports = ['DENY of ports', head + byHost + denyOfPorts];
    gates = await startEdgeGates(Object.fromEntries([...bare, ...ruled, ports]));
    for (const routing of Object.keys(routings)) {
      for (const way of ways) served.set(`${routing} ${way}`, await gates.ask(routing, way, generated));
    }
  });
  afterAll(() => gates?.close());

  test.each(cases)(
    'a rule $form.form $hosts allows the authorities that Envoy routes to its hosts, by $routing',
    async ({ gate, form, routing, labels }) => {
      const disagreements: string[] = [];
      for (const way of ways) {
        const verdicts = await gates.ask(gate, way, generated);
        const without = served.get(`${routing} ${way}`) ?? [];
        for (const [i, authority] of generated.entries()) {
          const isServed = labelsOf(routing).includes(without[i] ?? '');
          const isNamed = labels.includes(without[i] ?? '');
          const isLetIn = form.letsIn === 'what it names' ? isNamed : !isNamed && without[i] !== noHost;
          const expected = isServed && !isLetIn ? '403' : without[i];
          if (verdicts[i] !== expected) {
            disagreements.push(`${way} ${JSON.stringify(authority)}: ${verdicts[i]}, expected ${expected}`);
          }
        }
      }
      expect(disagreements, `GENERATED_SEED=${seed}`).toEqual([]);
    },
  );

  test.each([
    ['internal.corp:8080', '403'],
    ['internal.corp', '403'],
    ['a.example.com:1', '403'],
    ['a.example.com', '403'],
    ['example.com:8080', 'example.com'],
  ])(
    'the authority %s is answered %s where DENY names hosts with ports: a gateway takes the port off',
    async (authority, expected) => {
      const answers = ways.map((way) => gates.ask('DENY of ports', way, [authority]));
      expect(await Promise.all(answers)).toEqual(ways.map(() => [expected]));
    },
  );

  test.each(Object.keys(routings))('generated authorities reach each of the routes by %s', (routing) => {
    const reached = new Set(ways.flatMap((way) => served.get(`${routing} ${way}`) ?? []));
    expect([...reached]).toEqual(expect.arrayContaining([...labelsOf(routing)]));
  });
});

function labelsOf(routing: string): readonly string[] {
  const text = routings[routing as keyof typeof routings];
  return [...text.matchAll(/string: "([^"]*)"/g)].map(([, label = '']) => label);
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizationPolicy, pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { until } from '../../src/testbed/until.ts';
import { http1Request } from '../../src/testbed/wire/http1.ts';
import { readingOf, wireRequest } from '../attack/attack.ts';
import { attackGroups } from '../attack/corpus.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { under } from '../testing/server-mesh.ts';
import { createTokenIssuer, unixTime } from './token-issuer.ts';

const address = '10.77.0.10';
const server = { host: address, port: 8000, authority: 'server.foo' };
const selection = { namespace: 'foo', app: 'server' };
const attacker = 'legacy/attacker';

const topology = topologyText([
  pod({
    namespace: 'foo',
    name: 'server',
    index: 10,
    ports: { 'http-resource': 8000, echo: 9000, 'echo-undeclared': 9001 },
  }),
  service({ namespace: 'foo', name: 'server', index: 10, ports: { http: 8000, tcp: 9000 } }),
  pod({ namespace: 'legacy', name: 'attacker', index: 13, hasSidecar: false }),
]);

function deny(name: string, path: string): object {
  return authorizationPolicy({
    ...selection,
    name,
    action: 'DENY',
    rules: [{ to: [{ operation: { paths: [path] } }] }],
  });
}

function requestAuthentication(issuer: string, jwks: string): object {
  return {
    apiVersion: 'security.mesh.io/v1',
    kind: 'RequestAuthentication',
    metadata: { namespace: 'foo', name: 'tokens' },
    spec: { selector: { matchLabels: { app: 'server' } }, jwtRules: [{ issuer, jwks }] },
  };
}

describeMesh('what went wrong in other meshes', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({ topology });
  });
  afterAll(() => testbed?.close());

  test('a token is checked on every path, however it is spelt', async () => {
    const issuer = await createTokenIssuer('https://issuer.example');
    const token = await issuer.mint({ exp: unixTime() - 3600 });
    const headers = [['Authorization', `Bearer ${token}`] as const];
    const attacks = attackGroups.flatMap((group) => group.attacks).filter((attack) => attack.fields === undefined);
    const requests = attacks.flatMap((attack) =>
      ([1, 2] as const).flatMap(
        (version) =>
          wireRequest({ ...attack, headers: [...(attack.headers ?? []), ...headers] }, version, server) ?? [],
      ),
    );
    await under(testbed, [requestAuthentication(issuer.name, issuer.jwks)], async () => {
      const answers = await testbed.exchange(attacker, requests);
      expect(answers.flatMap((answer) => readingOf(answer) ?? [])).toEqual([]);
      expect(answers.filter(({ status }) => status === '401').length).toBeGreaterThan(500);
    });
  });

  test.each([
    ['ALLOW of a path', [{ to: [{ operation: { paths: ['/ok'] } }] }]],
    ['DENY of a path', [{ to: [{ operation: { paths: ['/denied'] } }] }]],
  ])('%s lets no bytes past that are not HTTP', async (form, rules) => {
    const action = form.split(' ')[0] ?? '';
    await under(testbed, [authorizationPolicy({ ...selection, name: 'http-only', action, rules })], async () => {
      for (const port of [8000, 9000, 9001]) {
        const { received } = await testbed.talk(attacker, address, port, 'ping\n', 5);
        expect(`${port}: ${received.slice(0, 5)}`).not.toBe(`${port}: ping\n`);
      }
    });
    expect((await testbed.talk(attacker, address, 9001, 'ping\n', 5)).received).toBe('ping\n');
  });

  test('a denied path stays denied through every change of policies', async () => {
    const request = wireRequest({ target: '/denied' }, 1, server)!;
    const round = 80;
    const statuses: string[] = [];
    let isOver = false;
    const asking = async (): Promise<void> => {
      while (!isOver) {
        const answers = await testbed.exchange(
          attacker,
          Array.from({ length: round }, () => request),
        );
        statuses.push(...answers.map(({ status }) => status));
      }
    };
    /** Until so many more were answered, however long a busy machine takes. */
    const untilAsked = async (more: number): Promise<void> => {
      const enough = statuses.length + more;
      const isEnough = async (): Promise<true | undefined> => (statuses.length >= enough ? true : undefined);
      await until(isEnough, { timeoutMs: 60_000, otherwise: async () => `${statuses.length} answers of ${enough}` });
    };
    await under(testbed, [deny('always', '/denied')], async () => {
      const asked = asking();
      for (let change = 0; change < 5; change += 1) {
        await testbed.apply({ 'more.yaml': topologyText([deny('more', `/other-${change}`)]) });
        await untilAsked(round);
      }
      await testbed.remove('more.yaml');
      await untilAsked(round);
      isOver = true;
      await asked;
    });
    expect(statuses.length).toBeGreaterThan(400);
    expect(new Set(statuses)).toEqual(new Set(['403']));
  });

  test('AUDIT and dry runs deny nothing', async () => {
    const rules = [{ to: [{ operation: { paths: ['/denied'] } }] }];
    const { metadata, ...tried } = deny('tried', '/denied') as { readonly metadata: object };
    const dryRun = { ...tried, metadata: { ...metadata, annotations: { 'mesh.io/dry-run': 'true' } } };
    const audit = authorizationPolicy({ ...selection, name: 'audit', action: 'AUDIT', rules });
    await under(testbed, [audit, dryRun], async () => {
      const answer = await testbed.request({ from: attacker, to: 'server.foo', path: '/denied' });
      expect(answer.status).toBe('200');
    });
  });

  test('the port of the metrics shows nothing else of Envoy', async () => {
    const targets = ['/stats/prometheus', '/stats/prometheus/../../config_dump', '/config_dump', '/stats', '/certs'];
    const more = [
      '//config_dump',
      '/stats/prometheus/..%2f..%2fconfig_dump',
      '/stats%2fprometheus/%2e%2e/%2e%2e/certs',
    ];
    const requests = [...targets, ...more].map((target) => {
      const bytes = http1Request({ target, headers: [['Host', 'metrics']] }).toString('base64');
      return { host: address, port: 15090, version: 1 as const, bytes };
    });
    const [metrics, ...others] = await testbed.exchange(attacker, requests);
    expect(metrics?.status).toBe('200');
    expect(others.filter(({ status }) => status === '200').map(({ body }) => body.slice(0, 200))).toEqual([]);
  });
});

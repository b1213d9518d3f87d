import { beforeEach, describe, expect, test } from 'vitest';
import type { FleetOutcome } from './fleet-outcome.ts';
import { authorization, formsOf, GivenFleet, workload } from './testing/given-fleet.ts';

/** A VirtualService of namespace a for the service of namespace b. */
const route = (http: string, name = 'to-d'): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: a}
spec: {hosts: [web.b.svc.cluster.local], http: [${http}]}
`;
/** A destination, in namespaces that have a service each; `rest` is more of it, or of the route. */
const to = (host: string, rest = '', more = ''): string =>
  `{${more}destination: {host: ${host}.svc.cluster.local${rest}}}`;
const shares = (most: string, few: string): string =>
  route(`{route: [${to(most, '', 'weight: 90, ')}, ${to(few, '', 'weight: 10, ')}]}`);
const list = (...items: readonly string[]): string =>
  `apiVersion: v1\nkind: List\nitems:\n${items.map((item) => `- ${item.trimEnd().replaceAll('\n', '\n  ')}\n`).join('')}`;
const d = { 'd.yaml': workload('d', '10.0.0.4') };
const toD = { 'route.yaml': route(`{route: [${to('web.d')}]}`) };
/** Freezes all proxies. */
const bad = { 'bad.yaml': authorization('mesh-system/bad', '/bad', { action: 'DENI' }) };
const [c80, d80] = ['c', 'd'].map((namespace) => `outbound|80||web.${namespace}.svc.cluster.local`);
const nowhere = 'BlackHoleCluster';

/** The clusters that the sidecar of a namespace sends requests for the host to. */
function clustersOf({ outcomes }: FleetOutcome, namespace = 'a'): readonly string[] {
  const outcome = outcomes.get(`${namespace}/web`);
  if (outcome === undefined) throw new Error('no such proxy');
  const { routes } = 'config' in outcome ? outcome.config : outcome.frozen;
  const tables = routes.map(({ text }) => JSON.parse(text) as { virtual_hosts: { name: string }[] });
  const own = tables.flatMap(({ virtual_hosts: hosts }) => hosts).find(({ name }) => name.includes('web.b'));
  const clusters = JSON.stringify(own).matchAll(/"(?:cluster|name)":"(outbound[^"]*|BlackHole[^"]*)"/g);
  return [...clusters].map(([, name = '']) => name);
}

/** Code, place and message of what is said of routes. */
function toldOf({ diagnostics }: FleetOutcome): readonly string[] {
  const own = diagnostics.filter(({ code }) => /destination/.test(code));
  return own.map(({ code, severity, span }) => `${severity} ${code} ${span?.file}`);
}

/** Destinations of the routes in force that no service has. */
function missingOf({ snapshot }: FleetOutcome) {
  return snapshot?.effective.missingDestinations ?? expect.fail('nothing is in force');
}

const warned = ['warning missing-destination route.yaml'];

describe.each([
  ['a fleet', false],
  ['a fleet that takes the place of another one before each version', true],
])('%s', (_name, isHandedOver) => {
  let fleet: GivenFleet;
  const take = (texts: Readonly<Record<string, string>>) => fleet.take(texts);
  beforeEach(() => {
    fleet = new GivenFleet(isHandedOver);
  });

  test('sends the requests of an unchanged route nowhere once its destination is deleted, applies everything else, and heals', async () => {
    expect(clustersOf(await take({ ...toD, ...d }))).toEqual([d80]);
    const gone = await take({ ...toD, 'b.yaml': authorization('b/one', '/y') });
    expect(formsOf(gone)).toEqual({ a: '', b: '/y', c: '' });
    expect(clustersOf(gone)).toEqual([nowhere]);
    expect(toldOf(gone)).toEqual(warned);
    expect(missingOf(gone).map(({ host, virtualService: { name } }) => `${name} ${host}`)).toEqual([
      'to-d web.d.svc.cluster.local',
    ]);
    const back = await take({ ...toD, ...d });
    expect(clustersOf(back)).toEqual([d80]);
    expect([toldOf(back), missingOf(back)]).toEqual([[], []]);
  });

  test('takes a route that comes before its destination, and the share of those that are there', async () => {
    const early = await take({ 'route.yaml': shares('web.c', 'web.d') });
    expect(clustersOf(early)).toEqual([c80, nowhere]);
    // A proxy that starts meanwhile is not closed.
    expect(
      formsOf(await take({ 'route.yaml': shares('web.c', 'web.d'), 'e.yaml': workload('e', '10.0.0.5') })),
    ).toEqual({
      ...{ a: '', b: '', c: '', e: '' },
    });
  });

  test('does the same for a port that the destination has no more, a mirror, and an object of a list', async () => {
    const port = await take({ 'route.yaml': route(`{route: [${to('web.c', ', port: {number: 81}')}]}`) });
    expect(clustersOf(port)).toEqual([nowhere]);
    expect(toldOf(port)).toEqual(['warning missing-destination-port route.yaml']);
    const mirror = `{route: [${to('web.c')}], mirror: {host: web.d.svc.cluster.local}}`;
    expect(clustersOf(await take({ 'mirror.yaml': route(mirror, 'mirrored') }))).toEqual([c80, nowhere]);
    expect(clustersOf(await take({ 'list.yaml': list(toD['route.yaml']) }))).toEqual([nowhere]);
  });

  test('keeps the last valid version of a route that is changed to a destination that is not there', async () => {
    await take({ 'route.yaml': shares('web.c', 'web.d'), ...d });
    await take({ 'route.yaml': shares('web.c', 'web.d') });
    const typo = await take({ 'route.yaml': shares('web.cc', 'web.d') });
    expect(formsOf(typo).a).toBe('a/to-d route.yaml:1 as of v2');
    expect(clustersOf(typo)).toEqual([c80, nowhere]);
    const unknown = await take({ 'route.yaml': shares('web.c', 'web.d').replace('weight: 90', 'wait: 90') });
    expect(clustersOf(unknown)).toEqual([c80, nowhere]);
    // Another change of it is no reason to wait for the destination.
    const other = await take({ 'route.yaml': shares('web.c', 'web.d').replace('http: [{', 'http: [{timeout: 3s, ') });
    expect(formsOf(other).a).toBe('');
    expect(clustersOf(other)).toEqual([c80, nowhere]);
  });

  test.each([
    ['is broken', toD['route.yaml'].replace('hosts:', 'hostz:')],
    ['leads to a destination that is not there', route(`{route: [${to('web.cc')}]}`)],
  ])(
    'holds the last valid version of a route that %s, also while its own destination is gone',
    async (_what, edited) => {
      await take({ ...toD, ...d });
      expect(clustersOf(await take({ 'route.yaml': edited, ...d }))).toEqual([d80]);
      expect(clustersOf(await take({ 'route.yaml': edited }))).toEqual([nowhere]);
      const back = await take({ 'route.yaml': edited, ...d });
      expect(clustersOf(back)).toEqual([d80]);
      expect(formsOf(back)).toMatchObject({ a: 'a/to-d route.yaml:1 as of v1', d: 'a/to-d route.yaml:1 as of v1' });
    },
  );

  test('keeps what stood in a file that is emptied while a destination is gone', async () => {
    await take({ ...toD, ...d });
    await take(toD);
    const emptied = await take({ 'route.yaml': '' });
    expect(clustersOf(emptied)).toEqual([nowhere]);
    expect(emptied.diagnostics.map(({ code }) => code)).toContain('emptied-file');
  });

  test('leaves the other objects of a list as they are, and keeps them when it is mistyped or emptied', async () => {
    const file = (path: string) => ({ 'list.yaml': list(toD['route.yaml'], authorization('b/one', path)) });
    await take({ ...file('/y'), ...d });
    // The service goes in the version in which the policy changes.
    const changed = await take(file('/z'));
    expect(formsOf(changed)).toEqual({ a: '', b: '/z', c: '' });
    const mistyped = await take({ 'list.yaml': file('/q')['list.yaml'].replace('DENY', 'DENI') });
    expect(formsOf(mistyped).b).toMatch(/^\/z \| .*b\/one list.yaml:1 as of v2/);
    expect(clustersOf(mistyped)).toEqual([nowhere]);
    const emptied = await take({ 'list.yaml': '' });
    expect(formsOf(emptied).b).toBe('/z');
    expect(emptied.diagnostics.map(({ code }) => code)).toContain('emptied-file');
  });

  test('leads the routes of frozen proxies to the destination again when it is back', async () => {
    await take({ ...toD, ...d });
    await take(toD);
    const deny = { 'deny.yaml': authorization('a/deny', '/deny') };
    const frozen = await take({ ...toD, ...bad, ...deny });
    expect(clustersOf(frozen)).toEqual([nowhere]);
    expect(formsOf(frozen).a).toBe('frozen since v2: /deny | mesh-system/bad bad.yaml:1');
    expect(clustersOf(await take({ ...toD, ...bad, ...d }))).toEqual([d80]);
  });

  test('freezes proxies where something else is wrong with a route that was never valid', async () => {
    const wrong = route(`{route: [${to('web.d')}], timeout: soon}`);
    expect(formsOf(await take({})).a).toBe('');
    expect(formsOf(await take({ 'route.yaml': wrong })).a).toBe('frozen since v1:  | a/to-d route.yaml:1');
  });

  test('gives no other service the requests of a destination that is gone, and says nothing else of it', async () => {
    const entry = (host: string) => `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: near, namespace: c}
spec: {hosts: ["${host}"], ports: [{number: 80, name: http, protocol: HTTP}], resolution: STATIC, endpoints: [{address: 192.0.2.6}]}
`;
    const hosts = ['nowhere.invalid', 'BlackHoleCluster.example', '*.d.svc.cluster.local', '*.svc.cluster.local'];
    for (const host of hosts) {
      const outcome = await take({ ...toD, 'entry.yaml': entry(host) });
      expect([clustersOf(outcome), toldOf(outcome)]).toEqual([[nowhere], warned]);
    }
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import type { FleetOutcome } from './fleet-outcome.ts';
import { authorization, formsOf, GivenFleet, workload } from './testing/given-fleet.ts';

/** A VirtualService of namespace a for the service of namespace b. */
const route = (http: string, name = 'to-d'): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: a}
spec: {hosts: [web.b.svc.cluster.local], http: [${http}]}
`;
const to = (host: string, rest = ''): string => `{destination: {host: ${host}.svc.cluster.local${rest}}}`;
const d = { 'd.yaml': workload('d', '10.0.0.4') };
const allow = { 'b.yaml': authorization('b/one', '/y') };
const whole = '/a | a/to-d route.yaml:1 without destinations';

/** The clusters that the sidecar of a namespace sends requests for the host to. */
function clustersOf({ outcomes }: FleetOutcome, namespace = 'a'): readonly string[] {
  const outcome = outcomes.get(`${namespace}/web`);
  if (outcome === undefined || !('config' in outcome)) throw new Error('no proxy, or a frozen one');
  const tables = outcome.config.routes.map(({ text }) => JSON.parse(text) as { virtual_hosts: { name: string }[] });
  const own = tables.flatMap(({ virtual_hosts: hosts }) => hosts).find(({ name }) => name.includes('web.b'));
  return [...JSON.stringify(own).matchAll(/"(?:cluster|name)":"(outbound[^"]*|BlackHole[^"]*)"/g)].map(
    ([, name = '']) => name,
  );
}

describe.each([
  ['a fleet', false],
  ['a fleet that takes the place of another one before each version', true],
])('%s', (_name, isHandedOver) => {
  let fleet: GivenFleet;
  const first = { 'a.yaml': authorization('a/one', '/a') };
  const take = (texts: Readonly<Record<string, string>>) => fleet.take({ ...first, ...texts });
  beforeEach(async () => {
    fleet = new GivenFleet(isHandedOver);
    expect(formsOf(await take({}))).toEqual({ a: '/a', b: '', c: '' });
  });

  test('sends the requests of an unchanged route nowhere once its destination is deleted, and applies everything else', async () => {
    const own = { 'route.yaml': route(`{route: [${to('web.d')}]}`) };
    expect(clustersOf(await take({ ...own, ...d }))).toEqual(['outbound|80||web.d.svc.cluster.local']);
    const gone = await take({ ...own, ...allow });
    expect(formsOf(gone)).toMatchObject({ a: whole, b: expect.stringMatching(/^\/y \|/) });
    expect(clustersOf(gone)).toEqual(['BlackHoleCluster']);
    const back = await take({ ...own, ...d, ...allow });
    expect(formsOf(back)).toEqual({ a: '/a', b: '/y', c: '', d: '' });
    expect(clustersOf(back)).toEqual(['outbound|80||web.d.svc.cluster.local']);
  });

  test('takes a route that was there before its destination, with the share of those that are there', async () => {
    const shares = `{route: [{weight: 90, destination: {host: web.c.svc.cluster.local}}, {weight: 10, destination: {host: web.d.svc.cluster.local}}]}`;
    const own = { 'route.yaml': route(shares) };
    const early = await take(own);
    expect(formsOf(early)).toMatchObject({ a: whole });
    expect(clustersOf(early)).toEqual(['outbound|80||web.c.svc.cluster.local', 'BlackHoleCluster']);
    // It says the same of a proxy that starts in the meantime, which is not closed.
    expect(formsOf(await take({ ...own, 'e.yaml': workload('e', '10.0.0.5') })).e).toBe(
      ' | a/to-d route.yaml:1 without destinations'.slice(3),
    );
  });

  test('does the same for a port that the destination has no more, a mirror, and an object in a list', async () => {
    const port = { 'route.yaml': route(`{route: [${to('web.c', ', port: {number: 81}')}]}`) };
    expect(clustersOf(await take(port))).toEqual(['BlackHoleCluster']);
    const mirror = { 'route.yaml': route(`{route: [${to('web.c')}], mirror: {host: web.d.svc.cluster.local}}`) };
    expect(clustersOf(await take(mirror))).toEqual(['outbound|80||web.c.svc.cluster.local', 'BlackHoleCluster']);
    const item = route(`{route: [${to('web.d')}]}`)
      .trimEnd()
      .replaceAll('\n', '\n  ');
    const list = { 'route.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${item}\n` };
    expect(clustersOf(await take(list))).toEqual(['BlackHoleCluster']);
  });

  test('keeps the last valid version of a route that is changed to a destination that is not there', async () => {
    await take({ 'route.yaml': route(`{route: [${to('web.c')}]}`) });
    const typo = await take({ 'route.yaml': route(`{route: [${to('web.cc')}]}`) });
    expect(formsOf(typo)).toMatchObject({ a: '/a | a/to-d route.yaml:1 as of v2' });
    expect(clustersOf(typo)).toEqual(['outbound|80||web.c.svc.cluster.local']);
  });

  test('freezes proxies where something else is wrong with the route, too', async () => {
    const wrong = route(`{route: [${to('web.d')}], timeout: soon}`);
    expect(formsOf(await take({ 'route.yaml': wrong }))).toMatchObject({
      a: 'frozen since v1: /a | a/to-d route.yaml:1',
    });
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { ResourceList } from '../../xds/resource-list.ts';
import { emptyView, ResourceView } from '../../xds/resource-view.ts';
import { mostProbes } from '../../xds/suspects.ts';
import { resource } from '../../xds/testing/resources.ts';
import { type FoundCulprit, HeldBack, type HeldClient } from './held-back.ts';

const viewOf = (content: Readonly<Record<string, string>>): ResourceView =>
  new ResourceView(new ResourceList(Object.entries(content).map(([name, text]) => resource(name, text))));
const texts = (view: ResourceView): string => view.all.map(({ body }) => Buffer.from(body).toString()).join(' ');
const client = (identity: string, envoyVersion = '1.40.0', proxy = identity): HeldClient => ({
  ...{ proxy: { namespace: 'a', name: proxy }, identity, envoyVersion },
});
const found = (text: string, list: FoundCulprit['list'] = 'listeners'): FoundCulprit => ({
  list,
  culprit: resource('a', text),
});
const [x, y, z] = [client('x'), client('y'), client('z')];

describe('HeldBack', () => {
  const [before, after] = [viewOf({ a: '1', b: '1' }), viewOf({ a: '2', b: '2' })];
  let held: HeldBack;
  beforeEach(() => {
    held = new HeldBack();
    held.note('listeners', emptyView, before);
  });
  const change = (isUrgent = false, from = before, to = after): void => {
    if (isUrgent) held.exempt(from, to);
    held.note('listeners', from, to);
  };
  const seenBy = (who: HeldClient, view = after): string => texts(held.viewFor('listeners', who, view));
  const serve = (...views: readonly ResourceView[]): void =>
    held.keep(
      views.map((listeners) => ({ ...{ clusters: emptyView, endpoints: emptyView, routes: emptyView }, listeners })),
    );

  test('holds back from a client what it refuses, also on new connections, and from no other client', () => {
    change();
    for (let i = 0; i < 5; i++) expect(held.refuse(found('2'), x)).toBe(i === 0 ? 'client' : 'nobody');
    expect(seenBy(x)).toBe('a=1 b=2');
    for (const other of [y, client('x', '1.41.0'), client('x', '1.40.0', 'x2')])
      expect(held.viewFor('listeners', other, after)).toBe(after);
    serve(after);
    expect(seenBy(x)).toBe('a=1 b=2');
    const next = viewOf({ a: '3', b: '2' });
    change(false, after, next);
    serve(next);
    expect(held.viewFor('listeners', x, next)).toBe(next);
    expect(held.recordOf(x).refused.size).toBe(0);
  });

  test('holds back what two identities of one version of Envoy refuse, for that version alone, until it changes', () => {
    change();
    held.refuse(found('2'), x);
    expect(held.refuse(found('2'), client('y', '1.39.0'))).toBe('client');
    expect(held.refuse(found('2'), y)).toBe('all');
    const kept = held.viewFor('listeners', z, after);
    expect(texts(kept)).toBe('a=1 b=2');
    expect(held.viewFor('listeners', z, after)).toBe(kept);
    expect(held.viewFor('listeners', client('z', '1.39.0'), after)).toBe(after);
    const next = viewOf({ a: '3', b: '2' });
    change(false, after, next);
    serve(next);
    expect(held.viewFor('listeners', z, next)).toBe(next);
  });

  test('keeps holding back a resource while another proxy gets one of the same name', () => {
    change();
    for (const who of [x, y]) held.refuse(found('2'), who);
    const [other, others] = [viewOf({ a: '7' }), viewOf({ a: '8' })];
    change(false, other, others);
    serve(after, others);
    expect(seenBy(z)).toBe('a=1 b=2');
  });

  test('serves the previous version of a refused resource, and nothing if that is unknown', () => {
    const [mine, its] = [viewOf({ a: '1' }), viewOf({ a: '9' })];
    const [mineNow, itsNow] = [viewOf({ a: '2' }), viewOf({ a: '8' })];
    change(false, mine, mineNow);
    change(false, its, itsNow);
    for (const who of [x, y]) held.refuse(found('2'), who);
    expect(seenBy(x, mineNow)).toBe('a=1');
    // Its list is the same as mine from now on, and was another one.
    change(false, its, mineNow);
    held.refuse(found('2'), z);
    expect(seenBy(z, mineNow)).toBe('');
  });

  test('serves no previous version that is refused too', () => {
    change();
    held.refuse(found('2'), x);
    const next = viewOf({ a: '3', b: '2' });
    change(false, after, next);
    serve(next);
    held.refuse(found('3'), x);
    expect(seenBy(x, next)).toBe('a=1 b=2');
    held.refuse(found('1'), x);
    expect(seenBy(x, next)).toBe('b=2');
  });

  test('never holds back changes that may remove access, nor endpoints, and serves no version from before such a change', () => {
    change(true);
    for (const who of [x, y, z]) expect(held.refuse(found('2'), who)).toBe('nobody');
    expect(held.viewFor('listeners', x, after)).toBe(after);
    const next = viewOf({ a: '3', b: '2' });
    change(false, after, next);
    serve(next);
    for (const who of [x, y]) held.refuse(found('3'), who);
    // Version 2 is refused as well, and version 1 lets through what it took away.
    expect(seenBy(x, next)).toBe('b=2');
    held.note('endpoints', before, after);
    for (const who of [x, y, z]) expect(held.refuse(found('2', 'endpoints'), who)).toBe('nobody');
  });

  test('omits a refused resource that has no previous version', () => {
    for (const who of [x, y]) held.refuse(found('1'), who);
    expect(seenBy(x, before)).toBe('b=1');
  });

  test('marks a client that refuses everything, until it accepts something', () => {
    for (let i = 1; i < mostProbes; i++) expect(held.answered(x, 'no')).toBe(false);
    expect(held.recordOf(x).isFaulty).toBe(false);
    expect(held.answered(x, 'never')).toBe(true);
    expect(held.recordOf(x)).toMatchObject({ isFaulty: true, message: 'never' });
    serve(before);
    expect(held.recordOf(x).isFaulty).toBe(true);
    expect(held.recordOf(y).isFaulty).toBe(false);
    held.answered(x, undefined);
    expect(held.recordOf(x).isFaulty).toBe(false);
  });

  test('remembers a limited number of clients, and of refusals of each', () => {
    const many = viewOf(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}`, '1'])));
    for (const { name, version } of many.all) held.refuse({ list: 'listeners', culprit: { name, version } }, x);
    expect(held.recordOf(x).refused.size).toBe(256);
    for (let i = 0; i < 10_000; i++) held.answered(client(`c${i}`), 'no');
    expect(held.recordOf(x).refused.size).toBe(0);
  });
});

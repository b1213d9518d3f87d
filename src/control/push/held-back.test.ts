import { describe, expect, test } from 'vitest';
import { ResourceList } from '../../xds/resource-list.ts';
import { ResourceView } from '../../xds/resource-view.ts';
import { resource } from '../../xds/testing/resources.ts';
import { type FoundCulprit, HeldBack } from './held-back.ts';

const viewOf = (content: Readonly<Record<string, string>>): ResourceView =>
  new ResourceView(new ResourceList(Object.entries(content).map(([name, text]) => resource(name, text))));
const texts = (view: ResourceView): string => view.all.map(({ body }) => Buffer.from(body).toString()).join(' ');
const refusal = (identity: string, text: string, rest: Partial<FoundCulprit> = {}): FoundCulprit => ({
  ...{ list: 'listeners', culprit: resource('a', text), identity, envoyVersion: '1.40.0' },
  ...rest,
});

describe('HeldBack', () => {
  const [before, after] = [viewOf({ a: '1', b: '1' }), viewOf({ a: '2', b: '2' })];
  const changed = (isUrgent = false): HeldBack => {
    const held = new HeldBack();
    held.note('listeners', before, after, isUrgent);
    held.note('endpoints', before, after, isUrgent);
    return held;
  };

  test('holds nothing back on the word of one identity, however often it is said', () => {
    const held = changed();
    for (let i = 0; i < 5; i++) expect(held.refuse(refusal('x', '2'))).toBe(false);
    expect(held.viewFor('listeners', '1.40.0', after)).toBe(after);
  });

  test('holds back what two identities of one version of Envoy refuse, for that version alone, until it changes', () => {
    const held = changed();
    held.refuse(refusal('x', '2'));
    expect(held.refuse(refusal('y', '2', { envoyVersion: '1.39.0' }))).toBe(false);
    expect(held.refuse(refusal('y', '2'))).toBe(true);
    const kept = held.viewFor('listeners', '1.40.0', after);
    expect(texts(kept)).toBe('a=1 b=2');
    expect(held.viewFor('listeners', '1.40.0', after)).toBe(kept);
    expect(held.viewFor('listeners', '1.39.0', after)).toBe(after);
    const next = viewOf({ a: '3', b: '2' });
    held.note('listeners', after, next, false);
    expect(held.viewFor('listeners', '1.40.0', next)).toBe(next);
  });

  test('never holds back what takes access away, nor endpoints', () => {
    const urgent = changed(true);
    for (const identity of ['x', 'y', 'z']) expect(urgent.refuse(refusal(identity, '2'))).toBe(false);
    const held = changed();
    for (const identity of ['x', 'y', 'z'])
      expect(held.refuse(refusal(identity, '2', { list: 'endpoints' }))).toBe(false);
  });

  test('leaves out what was not there before', () => {
    const held = new HeldBack();
    const now = viewOf({ a: '1', b: '1' });
    for (const identity of ['x', 'y']) held.refuse(refusal(identity, '1'));
    expect(texts(held.viewFor('listeners', '1.40.0', now))).toBe('b=1');
  });
});

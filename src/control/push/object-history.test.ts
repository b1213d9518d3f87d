import { describe, expect, test } from 'vitest';
import { ObjectHistory } from './object-history.ts';
import { ObjectVersions } from './object-versions.ts';

describe('ObjectHistory', () => {
  const changes = (changed: Readonly<Record<string, string>>, removed: readonly string[] = [], isWhole = false) => ({
    ...{ isWhole, changed: Object.entries(changed), removed },
  });

  test('knows which version a snapshot had, while it is active and for some time afterwards', () => {
    let nowMs = 0;
    const history = new ObjectHistory(1_000, () => nowMs);
    history.take(1, changes({ a: 'a1', b: 'b1' }, [], true));
    history.take(2, changes({}));
    history.take(3, changes({ a: 'a3' }, ['b']));
    const at = (key: string): unknown[] => [1, 2, 3, 4].map((snapshot) => history.versionAt(key, snapshot));
    expect(at('a')).toEqual(['a1', 'a1', 'a3', 'a3']);
    expect(at('b')).toEqual(['b1', 'b1', undefined, undefined]);
    expect([history.inForce('a'), history.inForce('b')]).toEqual(['a3', undefined]);
    nowMs = 1_001;
    expect(at('a')).toEqual([undefined, undefined, 'a3', 'a3']);
    expect(at('b')).toEqual([undefined, undefined, undefined, undefined]);
    expect(history.size).toBe(1);
  });

  test('remembers at most 100,000 replaced versions', () => {
    const history = new ObjectHistory(1e9, () => 0);
    for (let snapshot = 1; snapshot <= 100_100; snapshot++) history.take(snapshot, changes({ a: String(snapshot) }));
    expect(history.size).toBe(100_001);
    expect(history.versionAt('a', 1)).toBeUndefined();
  });

  test('treats objects that a new compile thread does not name as deleted', () => {
    const history = new ObjectHistory(1_000, () => 0);
    history.take(1, changes({ a: 'a1', b: 'b1' }, [], true));
    history.take(2, changes({ a: 'a1' }, [], true));
    expect([history.inForce('a'), history.inForce('b'), history.versionAt('b', 1)]).toEqual(['a1', undefined, 'b1']);
  });
});

test('ObjectVersions finds changed objects by their content, and has no versions of Secrets', () => {
  const object = (kind: string, name: string, text: string) => ({
    ...{ kind, namespace: kind === 'Namespace' ? '' : 'foo', name, document: { value: { text } } },
  });
  const versions = new ObjectVersions();
  const first = versions.changesTo([
    object('Pod', 'p', '1'),
    object('Secret', 's', 'key'),
    object('Namespace', 'foo', ''),
  ]);
  expect(first).toMatchObject({ isWhole: true, removed: [] });
  expect(first.changed.map(([key]) => key)).toEqual(['Pod/foo/p', 'Namespace/foo']);
  const second = versions.changesTo([object('Pod', 'p', '1'), object('Pod', 'q', '1')]);
  expect(second).toEqual({
    isWhole: false,
    changed: [['Pod/foo/q', first.changed[0]?.[1]]],
    removed: ['Namespace/foo'],
  });
});

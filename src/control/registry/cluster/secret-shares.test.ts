import { describe, expect, test } from 'vitest';
import type { NamedSecret } from './named-secrets.ts';
import { keyOf } from './secret-name.ts';
import { shareSecrets } from './secret-shares.ts';

const bounds = { all: 6, perNamespace: 4 };
const named = (namedIn: string, ...names: readonly string[]): readonly NamedSecret[] =>
  names.map((name) => ({ namespace: 'edge', name, namedIn: new Set([namedIn]) }));
const share = (secrets: readonly NamedSecret[], ...followed: readonly string[]) => {
  const { chosen, leftOut } = shareSecrets(secrets, new Set(followed.map((name) => `edge/${name}`)), bounds);
  expect(chosen.length + leftOut.length).toBe(secrets.length);
  return chosen.map((secret) => keyOf(secret).slice('edge/'.length));
};

describe('shareSecrets', () => {
  test('keeps Secrets that are followed, however many others are named', () => {
    const many = named('bad', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7');
    expect(share([...many, ...named('shop', 'x', 'y')], 'x', 'y')).toEqual(['x', 'y', 'a1', 'a2', 'a3', 'a4']);
    expect(share(named('shop', 'a', 'b', 'c', 'd', 'e'), 'a', 'b', 'c', 'd', 'e')).toHaveLength(5);
  });

  test('gives the Gateways of one namespace at most their share, in turn with the others', () => {
    const many = named('bad', 'a1', 'a2', 'a3', 'a4', 'a5');
    expect(share(many)).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(share([...many, ...named('shop', 'x', 'y', 'z')])).toEqual(['a1', 'x', 'a2', 'y', 'a3', 'z']);
  });

  test("follows a Secret beyond a namespace's share if another namespace with room names it too", () => {
    const shared = { namespace: 'edge', name: 'z', namedIn: new Set(['bad', 'shop']) };
    expect(share([...named('bad', 'a1', 'a2', 'a3', 'a4'), shared], 'a1', 'a2', 'a3', 'a4')).toContain('z');
  });

  test('follows a Secret together with the Secret of its CAs, or neither', () => {
    const pairs = named('shop', 'a', 'b', 'c', 'c-cacert');
    expect(share([...pairs, ...named('other', 'd', 'd-cacert')], 'a', 'b')).toEqual([
      'a',
      'b',
      'c',
      'c-cacert',
      'd',
      'd-cacert',
    ]);
    expect(share([...pairs, ...named('shop', 'e')], 'a', 'b', 'e')).toEqual(['a', 'b', 'e']);
  });
});

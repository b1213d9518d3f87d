import { describe, expect, test } from 'vitest';
import { fixtureNames } from '../fixture.ts';
import { baseCase } from './base-case.ts';

describe('baseCase', () => {
  test.each([
    ['is the one that the case names', 'gateway-tls-files', 'gateway-http'],
    ['is the plain mesh of the topology of a case that names none', 'authz-header', 'plain-authz'],
    ['is none for a case that stands alone', 'peer-default', undefined],
  ])('%s', (_, name, base) => {
    expect(baseCase(name)).toBe(base);
  });

  test('leads no case back to itself', () => {
    const names = fixtureNames('fixtures/ok');
    let ahead: readonly (string | undefined)[] = names;
    // As many steps as there are cases lead to the end of any chain.
    for (const _ of names) ahead = ahead.map((name) => name && baseCase(name));
    expect(names.filter((_, index) => ahead[index] !== undefined)).toEqual([]);
  });
});

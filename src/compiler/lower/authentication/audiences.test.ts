import { describe, expect, test } from 'vitest';
import { jwtIR } from '../../../testing/ir.ts';
import type { JwtProviderIR } from '../../ir/jwt-authn.ts';
import { groupedByAudiences } from './audiences.ts';

/** For each provider its key, and what of its tokens' audiences will do. */
function grouped(...providers: readonly Partial<JwtProviderIR>[]): readonly string[] {
  const all = providers.flatMap((provider) => jwtIR(provider).providers);
  return groupedByAudiences(all).map(({ group }) => [group.headerKey, ...group.audiences].join(' '));
}

describe('groupedByAudiences', () => {
  test('has one group for all that take any audience', () => {
    expect(grouped({ issuer: 'a' }, { issuer: 'b' }, { issuer: undefined })).toEqual(['header', 'header', 'header']);
  });

  test('has one group for each list of audiences, in whatever order they stand', () => {
    const lists = [['x'], ['y', 'x'], ['x', 'y'], ['x']];
    const providers = lists.map((audiences, i) => ({ issuer: `i${i}`, audiences }));
    expect(grouped(...providers, { issuer: 'a' })).toEqual([
      'header-0 x',
      'header-1 x y',
      'header-1 x y',
      'header-0 x',
      'header',
    ]);
  });

  test('takes what any provider for the same tokens asks for, since Envoy may have verified one by another', () => {
    expect(grouped({ audiences: ['x'] }, { audiences: ['y'] })).toEqual(['header-0 x y', 'header-0 x y']);
    expect(grouped({ audiences: ['x'] }, {})).toEqual(['header', 'header']);
    expect(grouped({ audiences: ['x'] }, { issuer: undefined })).toEqual(['header', 'header']);
  });

  test.each<[string, Partial<JwtProviderIR>]>([
    ['of another issuer', { issuer: 'other' }],
    ['with other keys', { keySet: '{"keys":[]}' }],
    ['in another header', { headers: [{ name: 'x-a', prefix: '' }] }],
    ['in a parameter', { params: ['t'] }],
    ['in a cookie', { cookies: ['t'] }],
  ])('takes nothing over from a provider for tokens %s', (_, other) => {
    expect(grouped({ audiences: ['x'] }, other)).toEqual(['header-0 x', 'header']);
  });

  test('takes nothing over from a provider of one issuer where any issuer will do', () => {
    expect(grouped({ issuer: undefined, audiences: ['x'] }, {})).toEqual(['header-0 x', 'header']);
  });
});

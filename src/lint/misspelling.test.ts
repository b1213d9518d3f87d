import { describe, expect, test } from 'vitest';
import { misspelt } from './misspelling.ts';

describe('misspelt', () => {
  test.each([
    ['paymnets', 'payments'],
    ['back-end', 'backend'],
    ['shop-frontned', 'shop-frontend'],
    ['Shop', 'shop'],
  ])('takes %s for %s', (name, meant) => {
    expect(misspelt(name, ['default', meant])).toBe(meant);
  });

  test.each([
    ['team-b', 'team-a'],
    ['db2', 'db1'],
    ['shop-staging', 'shop'],
    ['orders2', 'orders1'],
    ['dev', 'prod'],
  ])('takes %s for another name than %s', (name, known) => {
    expect(misspelt(name, [known])).toBeUndefined();
  });
});

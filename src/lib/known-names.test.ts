import { describe, expect, test } from 'vitest';
import { KnownNames } from './known-names.ts';

describe('KnownNames', () => {
  test.each([
    ['paymnets', 'payments'],
    ['back-end', 'backend'],
    ['shop-frontned', 'shop-frontend'],
    ['Shop', 'shop'],
  ])('takes %s for %s', (name, meant) => {
    expect(new KnownNames(['default', meant]).meantBy(name)).toBe(meant);
  });

  test.each([
    ['team-b', 'team-a'],
    ['db2', 'db1'],
    ['shop-staging', 'shop'],
    ['orders2', 'orders1'],
    ['dev', 'prod'],
    ['egressgateway', 'ingressgateway'],
    ['internal-api', 'external-api'],
  ])('takes %s for another name than %s', (name, known) => {
    expect(new KnownNames([known]).meantBy(name)).toBeUndefined();
  });

  test('takes a name for the nearest one, and for the first of those that are as near', () => {
    const known = new KnownNames(['shop-frontal', 'shop-fronted', 'shap-frontend', 'shop-frontena']);
    expect(known.meantBy('shop-frontend')).toBe('shop-fronted');
    expect(new KnownNames(['zone-paymint', 'zane-payment', 'zone-payments']).meantBy('zone-payment')).toBe(
      'zone-paymint',
    );
  });

  test('answers anew once a name is added', () => {
    const known = new KnownNames(['default']);
    expect(known.meantBy('paymnets')).toBeUndefined();
    known.add('payments');
    expect(known.meantBy('paymnets')).toBe('payments');
  });
});

import { describe, expect, test } from 'vitest';
import { nearLabelHint } from './near-labels.ts';
import { LabelIndex, type Labels } from './selector.ts';

const meantBy = (wanted: Labels, ...workloads: readonly Labels[]): string | undefined => {
  const index = new LabelIndex([
    { namespace: 'other', labels: { app: 'web', 'other/name': 'cart' } },
    ...workloads.map((labels) => ({ namespace: 'shop', labels })),
  ]);
  return nearLabelHint(index, 'shop', wanted)?.match(/"([^"]*)"\?/)?.[1];
};

describe('the label that a selector was meant to name', () => {
  test.each<[string, Labels, Labels, string]>([
    ['has another key', { app: 'cart' }, { 'app.kubernetes.io/name': 'cart' }, 'app.kubernetes.io/name: cart'],
    ['is spelt otherwise', { app: 'carts' }, { app: 'cart' }, 'app: cart'],
    ['is written in full', { app: 'mainframe-gw' }, { app: 'mainframe-gateway' }, 'app: mainframe-gateway'],
    ['is the second of the selector', { tier: 'a', app: 'crat' }, { tier: 'a', app: 'cart' }, 'app: cart'],
  ])('%s', (_, wanted, labels, meant) => {
    expect(meantBy(wanted, { version: 'v1' }, labels)).toBe(meant);
  });

  test.each<[string, Labels, Labels]>([
    ['another number', { version: 'v1' }, { version: 'v2' }],
    ['a word that many labels have', { canary: 'true' }, { 'injected/by': 'true' }],
    ['another word', { app: 'cart' }, { app: 'payments' }],
    ['a label of another namespace', { 'other/name': 'cart' }, { tier: 'front' }],
  ])('is not %s', (_, wanted, labels) => {
    expect(meantBy(wanted, labels)).toBeUndefined();
  });
});

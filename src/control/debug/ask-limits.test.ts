import { describe, expect, test } from 'vitest';
import { AskLimits } from './ask-limits.ts';

describe('AskLimits', () => {
  const why = '/debug/why';
  const reader = (subject: string, ...namespaces: readonly string[]) => ({ subject, namespaces: new Set(namespaces) });
  const countOf = (one: (i: number) => boolean, times = 100): number =>
    Array.from({ length: times }, (_, i) => one(i)).filter(Boolean).length;

  test('bounds what one reader may ask of the thread that compiles, and not what costs little', () => {
    const limits = new AskLimits();
    const ops = reader('ops', 'shop');
    expect(countOf(() => limits.mayHave(ops, why, 'shop/web', 0))).toBe(5);
    expect(limits.mayHave(ops, '/debug/config_dump', 'shop/web', 0)).toBe(false);
    expect(countOf(() => limits.mayHave(ops, '/debug/syncz', null, 0))).toBe(100);
    expect(countOf(() => limits.mayHave(ops, why, 'shop/web', 2_000))).toBe(2);
  });

  test('bounds what all readers of a namespace may ask together, and others have their turns', () => {
    const limits = new AskLimits();
    const many = (nowMs: number) => countOf((i) => limits.mayHave(reader(`ops-${i}`, 'shop'), why, 'shop/web', nowMs));
    expect(many(0)).toBe(15);
    expect(limits.mayHave(reader('other', 'bank'), why, 'bank/web', 0)).toBe(true);
    expect(limits.mayHave({ subject: 'root', namespaces: 'all' }, why, 'shop/web', 0)).toBe(true);
    expect(many(2_000)).toBe(6);
  });

  test('makes no namespace pay for questions of readers that are not its own', () => {
    const limits = new AskLimits();
    for (let i = 0; i < 100; i++) limits.mayHave(reader(`stranger-${i}`, 'bank'), why, 'shop/web', 0);
    expect(countOf((i) => limits.mayHave(reader(`ops-${i}`, 'shop'), why, 'shop/web', 0))).toBe(15);
  });

  test('bounds how often an address asks, and lets it ask again later', () => {
    const limits = new AskLimits();
    expect(countOf(() => limits.mayAsk('10.1.0.1', 0))).toBe(30);
    expect(limits.mayAsk('10.1.0.2', 0)).toBe(true);
    expect(countOf(() => limits.mayAsk('10.1.0.1', 1_000))).toBe(5);
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import type { Authentication } from './caller.ts';
import { type AuthenticateReviewed, createKeptReviews } from './kept-reviews.ts';

const caller = { namespace: 'foo', serviceAccount: 'httpbin', by: 'token' } as const;

describe('createKeptReviews', () => {
  let nowMs: number;
  let asked: string[];
  let outcomes: string[];
  let endsAt: number | undefined;
  let answer: (token: string) => Promise<Authentication>;
  let reviews: AuthenticateReviewed;
  beforeEach(() => {
    nowMs = 0;
    asked = [];
    outcomes = [];
    endsAt = undefined;
    answer = async () => ({ caller });
    reviews = createKeptReviews({
      review: async (token) => {
        asked.push(token);
        return { authentication: await answer(token), endsAt };
      },
      ...{ clock: () => nowMs, elapsedMs: () => nowMs, onReview: (outcome) => outcomes.push(outcome) },
    });
  });

  test('keeps an answer for ten seconds, acceptance as well as refusal', async () => {
    for (const authentication of [{ caller }, { problem: 'no' }]) {
      asked = [];
      answer = async () => authentication;
      const token = JSON.stringify(authentication);
      expect([await reviews(token, 'a'), await reviews(token, 'a')]).toEqual([authentication, authentication]);
      nowMs += 9_999;
      await reviews(token, 'a');
      expect(asked).toHaveLength(1);
      nowMs += 1;
      await reviews(token, 'a');
      expect(asked).toHaveLength(2);
    }
    expect(outcomes).toEqual(['accepted', 'accepted', 'refused', 'refused']);
  });

  test('accepts no token beyond its expiry', async () => {
    endsAt = 2_000;
    await reviews('one', 'a');
    nowMs = 2_000;
    answer = async () => ({ problem: 'expired' });
    expect(await reviews('one', 'a')).toEqual({ problem: 'expired' });
  });

  test('keeps no failure', async () => {
    answer = async () => ({ problem: 'away', isOurFault: true });
    expect(await reviews('one', 'a')).toEqual({ problem: 'away', isOurFault: true });
    answer = async () => ({ caller });
    expect(await reviews('one', 'a')).toEqual({ caller });
    expect(outcomes).toEqual(['failed', 'accepted']);
  });

  test('keeps at most 4,096 answers, and forgets the oldest first', async () => {
    for (let token = 0; token <= 4_096; token++) await reviews(String(token), 'a');
    await reviews('1', 'a');
    expect(asked).toHaveLength(4_097);
    await reviews('0', 'a');
    expect(asked).toHaveLength(4_098);
  });

  test('asks once for equal tokens at the same time, and at most for eight tokens of an address and 64 in all', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    answer = async () => {
      await held;
      return { caller };
    };
    const many = { problem: 'too many tokens are being verified at once', isOurFault: true };
    const same = [reviews('0', 'a'), reviews('0', 'b')];
    const first = Array.from({ length: 7 }, (_, index) => reviews(`a${index}`, 'a'));
    expect(await reviews('a7', 'a')).toEqual(many);
    const others = Array.from({ length: 56 }, (_, index) => reviews(`${index}x`, `10.0.0.${index}`));
    expect(await reviews('more', 'c')).toEqual(many);
    release();
    expect(await Promise.all([...same, ...first, ...others])).toEqual(Array(65).fill({ caller }));
    expect(asked).toHaveLength(64);
    expect(await reviews('a7', 'a')).toEqual({ caller });
  });
});

import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import type { AdmissionQuestion } from './admission-messages.ts';
import { Reviewer } from './reviewer.ts';
import { WarmUp } from './warm-up.ts';

describe('a warm-up', () => {
  test('has pods of five shapes answered that all get a proxy, each in a turn of its own, and only once', async () => {
    const reviewer = new Reviewer({ revision: 'default' });
    await reviewer.take({ settings: { revision: 'default', ownNamespace: 'mesh-system', prefersNative: true } });
    const answers: unknown[] = [];
    let turns = 0;
    const patches = new Set<string>();
    const answer = async (question: AdmissionQuestion): Promise<void> => {
      const turn = turns;
      const said = await reviewer.take({ question });
      const { response } = JSON.parse(said !== undefined && 'reply' in said ? said.reply.body : '{}');
      answers.push([response.allowed, response.warnings, turn]);
      patches.add(response.patch);
    };
    const warmUp = new WarmUp((question) => void answer(question), 3);
    const count = (): void => {
      turns += 1;
      if (turns < 20) setImmediate(count);
    };
    warmUp.begin();
    warmUp.begin();
    count();
    await eventually(() => expect([answers.length, turns]).toEqual([15, 20]));
    expect(answers).toEqual(Array.from({ length: 15 }, (_, i) => [true, undefined, i]));
    expect(patches.size).toBe(5);
  });
});

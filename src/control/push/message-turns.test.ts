import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MessageTurns } from './message-turns.ts';

test('a message whose second half comes later holds up those behind it, and they keep their order', async () => {
  const done: string[] = [];
  const turns: MessageTurns<string> = new MessageTurns((message) => {
    done.push(message);
    if (message.startsWith('long')) turns.later(() => done.push(`rest of ${message}`));
  });
  for (const message of ['short', 'long 1', 'second', 'long 2', 'third']) turns.take(message);
  expect(done).toEqual(['short', 'long 1']);
  await turn();
  const untilSecondRest = ['short', 'long 1', 'rest of long 1', 'second', 'long 2'];
  expect(done).toEqual(untilSecondRest);
  await turn();
  expect(done).toEqual([...untilSecondRest, 'rest of long 2', 'third']);
  turns.take('last');
  expect(done.at(-1)).toBe('last');
});

import { describe, expect, test } from 'vitest';
import { createKeyJudge } from './judge-keys.ts';

describe('createKeyJudge', () => {
  test.each([
    ['refuses with its reason', { ok: false, message: 'invalid local jwks' }, 'invalid local jwks'],
    [
      'dies of them',
      { ok: false, message: 'Envoy aborted (SIGSEGV) while it read' },
      'Envoy aborted (SIGSEGV) while it read',
    ],
    ['takes them', { ok: true, message: '' }, undefined],
    ['has no time to answer', { ok: false, message: 'Envoy did not answer in time' }, undefined],
    ['is killed by somebody', { ok: false, message: 'Envoy aborted (SIGKILL) while it read' }, undefined],
  ])('gives what an Envoy says that %s', async (_, answer, expected) => {
    expect(await createKeyJudge(async () => answer)('{"keys":[]}')).toBe(expected);
  });

  test('refuses nothing where Envoy cannot be started', async () => {
    expect(await createKeyJudge(() => Promise.reject(new Error('ENOENT')))('{"keys":[]}')).toBeUndefined();
  });

  test('asks once for keys that were taken, and again for others', async () => {
    const asked: object[] = [];
    let message = 'no';
    const judge = createKeyJudge(async (config) => {
      asked.push(config);
      return { ok: message === '', message };
    });
    await judge('a');
    await judge('a');
    expect(asked).toHaveLength(2);
    message = '';
    await judge('a');
    await judge('a');
    expect(asked).toHaveLength(3);
  });
});

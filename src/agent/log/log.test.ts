import { describe, expect, test, vi } from 'vitest';
import { createLog, type Log, type LogOptions } from './log.ts';
import type { LogScope, ScopeOptions } from './scope.ts';

function written(options: Partial<LogOptions>, say: (log: Log) => void): string[] {
  const lines: string[] = [];
  say(createLog({ isJson: false, level: 'info', ...options, write: (line) => lines.push(line) }));
  return lines;
}

const careful = (log: Log): void => {
  log.debug('hidden');
  log.warn('careful', { count: 2, names: ['a', 'b'], text: 'x' });
};

describe('createLog', () => {
  test('writes tab-separated text with UTC microseconds', () => {
    expect(written({}, careful)).toEqual([
      expect.stringMatching(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\twarn\tcareful\tcount=2 names=\["a","b"\] text=x\n$/,
      ),
    ]);
  });

  test('follows the clock of the machine when that is set', () => {
    const years = (log: Log): void => {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-01-01T00:00:01Z') });
      log.warn('forward');
      vi.setSystemTime(new Date('2030-01-01T00:00:01Z'));
      log.warn('back');
      vi.useRealTimers();
      log.warn('real');
    };
    const lines = written({}, years);
    const dates = ['2031-01-01T00:00:01.', '2030-01-01T00:00:01.', new Date().toISOString().slice(0, 11)];
    for (const [i, date] of dates.entries()) expect(lines[i]).toMatch(new RegExp(`^${date}`));
  });

  test.each([
    ['letters', 'x'],
    ['characters that are escaped', '\u0001\u202e'],
    ['letters of three bytes', '\u20ac'],
    ['lines', 'x\n'],
  ])('writes at most 16 KB of a message of 15 MB, of a field and of a list: %s', (_, text) => {
    const long = text.repeat(15_000_000 / text.length);
    for (const isJson of [true, false]) {
      const startedAt = performance.now();
      const lines = written({ isJson }, (log) => {
        log.warn(`begins ${long}`, { last: 'short' });
        log.warn('begins', { field: long.slice(0, 100_000), list: Array.from({ length: 9_000 }, () => `${text}a`) });
      });
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      for (const line of lines) {
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(16_384);
        expect(line).toContain('begins');
        if (isJson) JSON.parse(line);
      }
      expect(lines[0]).toContain('short');
    }
  });

  test('leaves a line that is short enough as it is', () => {
    const message = 'x'.repeat(16_000);
    expect(written({}, (log) => log.warn(message))[0]).toContain(message);
  });

  test('writes one object a line as JSON', () => {
    const [line = ''] = written({ isJson: true }, careful);
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', msg: 'careful', count: 2, text: 'x' });
    expect(line).toMatch(/^\{"level":"warn","time":"[^"]+Z","msg":"careful","count":2,.*\}\n$/);
  });

  test('names the scope in both forms, but for the default one', () => {
    const say = (log: Log): void => {
      log.scope('sds').scope('model').info('one');
      log.scope('model').scope('default').info('two');
    };
    expect(written({}, say)).toEqual([
      expect.stringMatching(/Z\tinfo\tmodel\tone\n$/),
      expect.stringMatching(/Z\tinfo\ttwo\n$/),
    ]);
    const [one = '', two = ''] = written({ isJson: true }, say);
    expect(Object.keys(JSON.parse(one))).toEqual(['level', 'time', 'scope', 'msg']);
    expect(Object.keys(JSON.parse(two))).toEqual(['level', 'time', 'msg']);
  });

  test('treats each scope as its own options say', () => {
    const scopes = new Map<LogScope, ScopeOptions>([
      ['sds', { level: 'debug', namesCaller: true }],
      ['model', { level: 'none' }],
      ['cache', { level: 'error', stackLevel: 'error' }],
    ]);
    const lines = written({ scopes }, (log) => {
      for (const name of ['default', 'sds', 'model', 'cache'] as const) {
        log.scope(name).debug('light');
        log.scope(name).error('grave');
      }
    });
    expect(lines.map((line) => line.split('\t').slice(1).join(' ').replace(/:\d+/g, '').split('\n')[0])).toEqual([
      'error grave',
      'debug sds log/log.test.ts light',
      'error sds log/log.test.ts grave',
      'error cache grave',
    ]);
    expect(lines.filter((line) => line.includes('\n    at '))).toEqual([lines[3]]);
  });

  test('tells whether messages of level debug go anywhere, in each scope', () => {
    const scopes = new Map<LogScope, ScopeOptions>([['sds', { level: 'debug' }]]);
    const log = createLog({ isJson: false, level: 'info', scopes, write: () => undefined });
    expect([log.saysDebug, log.scope('sds').saysDebug, log.scope('vault').saysDebug]).toEqual([false, true, false]);
  });

  test('puts caller and stack trace where they belong in JSON', () => {
    const [line = ''] = written({ isJson: true, namesCaller: true, stackLevel: 'info' }, (log) =>
      log.scope('sds').info('one', { count: 1 }),
    );
    expect(Object.keys(JSON.parse(line))).toEqual(['level', 'time', 'scope', 'caller', 'msg', 'count', 'stack']);
  });

  test('names the caller, and gives grave messages a stack trace', () => {
    const lines = written({ namesCaller: true, stackLevel: 'warn' }, (log) => {
      log.info('light');
      log.error('grave', { count: 1 });
    });
    expect(lines).toEqual([
      expect.stringMatching(/Z\tinfo\tlog\/log\.test\.ts:\d+\tlight\n$/),
      expect.stringMatching(/Z\terror\tlog\/log\.test\.ts:\d+\tgrave\tcount=1\n {4}at .*log\.test\.ts:\d+:\d+\)?\n/),
    ]);
  });

  test.each([false, true])('cannot be forged by a value that it logs (JSON: %s)', (isJson) => {
    const forged = 'a\n2026-01-01T00:00:00.000000Z\tinfo\tforged\r\u001b[2J\u009b\u2028\u202e';
    const lines = written({ isJson }, (log) => log.info(forged, { text: forged, names: [forged] }))
      .join('')
      .split('\n')
      .slice(0, -1);
    expect(lines.filter((line) => /^(\d{4}-|\{)/.test(line))).toHaveLength(1);
    if (isJson) expect(JSON.parse(lines.join('\n'))).toMatchObject({ msg: forged, text: forged });
    else
      expect(lines[1]).toContain(
        '    2026-01-01T00:00:00.000000Z\\u0009info\\u0009forged\\u000d\\u001b[2J\\u009b\\u2028\\u202e',
      );
    expect(lines.join('').replaceAll('\t', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Cf}]/u);
  });

  test('writes nothing at level none', () => {
    expect(written({ level: 'none' }, careful)).toEqual([]);
  });
});

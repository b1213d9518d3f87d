import { beforeEach, describe, expect, test } from 'vitest';
import { createProgress, type Progress, showsProgress } from './progress.ts';

describe('createProgress', () => {
  let time: number;
  let written: string[];
  let progress: Progress;
  beforeEach(() => {
    time = 1000;
    written = [];
    progress = createProgress({ columns: 30, now: () => time, write: (text) => void written.push(text) });
  });

  test('shows nothing for half a second, and then at most ten steps a second', () => {
    const shown: number[] = [];
    for (let done = 0; done < 1000; done++) {
      time = 1000 + done;
      const before = written.length;
      progress.step('reading file', done);
      if (written.length > before) shown.push(done);
    }
    expect(shown).toEqual([500, 600, 700, 800, 900]);
  });

  test('overwrites its line, leaves the cursor at its beginning, and takes it away once', () => {
    time = 1500;
    progress.step('running rule', 3, 90);
    time = 1600;
    progress.step('compiling a proxy with a long name', 4);
    progress.clear();
    progress.clear();
    expect(written).toEqual(['\r\x1b[Krunning rule 3 of 90\r', '\r\x1b[Kcompiling a proxy with a long\r', '\r\x1b[K']);
  });

  test('takes nothing away where nothing was shown', () => {
    progress.step('reading file', 1);
    progress.clear();
    expect(written).toEqual([]);
  });
});

describe('showsProgress', () => {
  test.each([
    ['at a terminal', { isTTY: true }, { TERM: 'xterm' }, true],
    ['at a terminal with an empty CI', { isTTY: true }, { TERM: 'xterm', CI: '' }, true],
    ['not in a pipe', {}, { TERM: 'xterm' }, false],
    ['not in CI', { isTTY: true }, { TERM: 'xterm', CI: 'true' }, false],
    ['not at a terminal that only prints', { isTTY: true }, { TERM: 'dumb' }, false],
    ['not at a terminal that nothing is known of', { isTTY: true }, {}, false],
  ])('holds %s', (_, stream, environment, expected) => {
    expect(showsProgress(stream, environment)).toBe(expected);
  });
});

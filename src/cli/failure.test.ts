import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../lib/usage-error.ts';
import { SourceError } from '../source/find.ts';
import { explainFailure } from './failure.ts';

describe('explainFailure', () => {
  test('explains a wrong command line in one line', () => {
    expect(explainFailure(new UsageError('no inputs'), 'meshpol')).toEqual({ text: 'meshpol: no inputs\n', code: 2 });
  });

  test.each([
    ['cannot read "x"', 'meshpol: cannot read "x": "/nowhere": no such file or directory (ENOENT)\n'],
    ['cannot read "/nowhere"', 'meshpol: cannot read "/nowhere": no such file or directory (ENOENT)\n'],
  ])('explains an environment error with its causes, and names each path once: %s', async (message, expected) => {
    const cause = await readFile('/nowhere').catch((error: Error) => error);
    expect(explainFailure(new SourceError(message, { cause }), 'meshpol')).toEqual({ text: expected, code: 3 });
  });

  test('says of an output that is too long for one text what to compile less of', () => {
    const { text, code } = explainFailure(new RangeError('Invalid string length'), 'meshpol');
    expect([code, text]).toEqual([3, expect.stringContaining('compile fewer workloads (--workload)')]);
  });

  test('takes every other error for a bug, with its stack', () => {
    const { text, code } = explainFailure(new TypeError('x is undefined'), 'meshpol');
    expect([code, text]).toEqual([70, expect.stringContaining('failure.test.ts')]);
  });

  test('knows the failure of another bundle, whose class is another', () => {
    const thrown = new SourceError('cannot read "x"');
    Object.setPrototypeOf(thrown, Error.prototype);
    expect(explainFailure(thrown, 'meshpol')).toEqual({ text: 'meshpol: cannot read "x"\n', code: 3 });
  });

  test("takes an error whose code only looks like a room's for a bug", () => {
    const thrown = Object.assign(new Error('x'), { code: 'source-unreadable' });
    expect(explainFailure(thrown, 'meshpol').code).toBe(70);
  });

  test('reports an error of Node about an argument as a bug, not as an environment error', () => {
    const thrown = Object.assign(new TypeError('bad argument'), { code: 'ERR_INVALID_ARG_TYPE' });
    expect(explainFailure(thrown, 'meshpol').code).toBe(70);
  });
});

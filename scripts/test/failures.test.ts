import { expect, test } from 'vitest';
import { failuresAsText } from './failures.ts';

test('names each failure, and where it is, at the end of a run', () => {
  const failure = {
    what: 'src/a.test.ts > adds > one',
    errors: [{ message: 'expected 2\nto be 3', at: 'at a.test.ts:4:2' }],
  };
  expect(failuresAsText('all', [failure])).toBe(
    '\nWhat failed (run "all"):\nFAILED src/a.test.ts > adds > one\n  expected 2\n  to be 3\n  at a.test.ts:4:2\n',
  );
});

test('cuts a message that would fill the page', () => {
  const text = failuresAsText('all', [{ what: 'a', errors: [{ message: 'x'.repeat(2_000) }] }]);
  expect(text).toContain(`${'x'.repeat(1_500)} … (2000 characters)`);
  expect(text).not.toContain('x'.repeat(1_501));
});

test('says nothing where nothing failed', () => {
  expect(failuresAsText('all', [])).toBe('');
});

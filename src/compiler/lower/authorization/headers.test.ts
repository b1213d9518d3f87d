import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../policy/authorization-policy.ts';
import { condition, lowered } from './testing/written-rule.ts';

describe('headers', () => {
  test.each([
    ['a.b', 'exact a.b', 'regex (.*,)?[ \\t]*a\\.b[ \\t]*(,.*)?'],
    ['a*', 'prefix a', 'regex (.*,)?[ \\t]*a.*'],
    ['*a', 'suffix a', 'regex .*a[ \\t]*(,.*)?'],
    ['*', 'present', 'present'],
    ['a*b', 'exact a*b', 'regex (.*,)?[ \\t]*a\\*b[ \\t]*(,.*)?'],
  ])(
    'with value %s are plain where they give and hold against lists and blanks where they take',
    (value, giving, taking) => {
      const rule = condition('request.headers[X-Role]', value);
      const negated: Condition = { key: 'request.headers[X-Role]', notValues: [value] };
      expect(lowered(rule)).toEqual(['any', `x-role ${giving}`]);
      expect(lowered(rule, { action: 'DENY' })).toEqual(['any', `x-role ${taking}`]);
      expect(lowered({ when: [negated] })).toEqual(['any', `!x-role ${taking}`]);
      expect(lowered({ when: [negated] }, { action: 'DENY' })).toEqual(['any', `!x-role ${giving}`]);
    },
  );

  test.each([
    ['session=bad', 'exact session=bad', 'regex (.*[,;])?[ \\t]*session=bad[ \\t]*([,;].*)?'],
    ['session=*', 'prefix session=', 'regex (.*[,;])?[ \\t]*session=.*'],
    ['*bad', 'suffix bad', 'regex .*bad[ \\t]*([,;].*)?'],
  ])('cookies are parted at semicolons too where they take: %s', (value, giving, taking) => {
    expect(lowered(condition('request.headers[Cookie]', value))).toEqual(['any', `cookie ${giving}`]);
    expect(lowered(condition('request.headers[Cookie]', value), { action: 'DENY' })).toEqual([
      'any',
      `cookie ${taking}`,
    ]);
  });

  test('are no headers where HTTP/2 makes them parts of the request', () => {
    expect(lowered(condition('request.headers[:method]', 'GET'), { action: 'DENY' })).toEqual([
      ':method exact-i GET',
      'any',
    ]);
    expect(lowered(condition('request.headers[Host]', 'a*'), { action: 'DENY' })[0]).toMatch(
      /^\(:authority prefix-i a/,
    );
  });
});

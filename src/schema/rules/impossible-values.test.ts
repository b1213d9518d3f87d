import { expect, test } from 'vitest';
import * as make from '../../testing/objects.ts';
import { checkImpossibleValues } from './impossible-values.ts';

test.each([
  ['*', 0],
  ['keep*', 0],
  ['*close', 0],
  ['Keep-Alive, Upgrade', 0],
  ['close', 1],
  ['upgrade;q=1', 1],
])('a rule by the header "connection" with the value %s has %i faults', (value, faults) => {
  let reported = 0;
  const rule = { when: [{ key: 'request.headers[connection]', values: [value] }] };
  checkImpossibleValues(make.authorizationPolicy('a/p', { action: 'DENY', rules: [rule] }), () => {
    reported += 1;
  });
  expect(reported).toBe(faults);
});

import { describe, expect, test } from 'vitest';
import { checkWire } from './check-wire.ts';

const reset = { kind: 'reset', details: 'http2.violation.of.messaging.rule' };
const noPath = { kind: 'answered', status: 404, details: 'absolute_path_rejected' };

describe('checkWire', () => {
  test.each([
    ['GET', '/a', undefined],
    ['GET', 'a', reset],
    ['GET', '*', reset],
    ['OPTIONS', '*', noPath],
    ['OPTIONS', '*a', reset],
  ])('says of %s %s over HTTP/2 what the codec does', (method, path, outcome) => {
    expect(checkWire('h2', { method, path, authority: 'a', headers: [] })).toEqual(outcome);
  });
});

import { describe, expect, test } from 'vitest';
import { formatHint } from './format-hints.ts';

describe('formatHint', () => {
  test.each([
    ['retry-on', 'gateway_error,connect-failure', 'retryOn', /^"gateway_error" is .*did you mean "gateway-error"\?$/],
    ['retry-on', '5xx, reset', 'retryOn', /^remove the spaces around "reset"$/],
    ['retry-on', 'whenever', 'retryOn', /^"whenever" is no retry condition: write some of 5xx, /],
    ['jwks', '{ "keys": [] }', 'jwks', /^the set has no key: .* or remove "jwks"/],
    ['duration', '0s', 'timeout', /^leave "timeout" out: without it, a request has no time limit$/],
    ['egress-host', 'mail.out.svc.cluster.local', 'hosts[0]', /^write "out\/mail\.out\.svc\.cluster\.local"$/],
    ['path-template', '/tokens/{id}', 'paths[1]', /^write "\/tokens\/\{\*\}": /],
    ['path-template', '/users/{user-id}/files/{**}', 'paths[0]', /^write "\/users\/\{\*\}\/files\/\{\*\*\}": /],
    ['path-template', '/users/:id/{**}', 'paths[0]', /^write "\/users\/\{\*\}\/\{\*\*\}": /],
    ['duration', '0s', 'interval', /^leave "interval" out for its default$/],
  ])('of format %s says what to write in place of %s', (format, text, field, hint) => {
    expect(formatHint(format, text, field)).toMatch(hint);
  });

  test('says nothing where the text does not tell what was meant', () => {
    expect(formatHint('duration', '2sec', 'timeout')).toBeUndefined();
    expect(formatHint('jwks', 'keys', 'jwks')).toBeUndefined();
    expect(formatHint('path-template', '/tokens{*}', 'paths[0]')).toBeUndefined();
    expect(formatHint('path-template', '/tokens/{id}/a*', 'paths[0]')).toBeUndefined();
  });
});

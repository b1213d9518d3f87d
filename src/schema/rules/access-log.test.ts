import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../source/document.ts';
import { checkAccessLog } from './access-log.ts';

function reasonsOf(config: JsonObject): string[] {
  const reasons: string[] = [];
  checkAccessLog(config, (code, path, holes) => {
    expect([code, path]).toEqual(['invalid-access-log-format', ['accessLogFormat']]);
    reasons.push((holes as { reason: string }).reason);
  });
  return reasons;
}

describe('checkAccessLog', () => {
  test.each([
    '',
    'plain text',
    '100%% %PROTOCOL%%PROTOCOL()%',
    '%REQ(:METHOD)% %REQ(X-A?:PATH):10% %RESP(a):0% %TRAILER(b)%',
    '%START_TIME% %START_TIME()% %START_TIME(%s.%3f)% %EMIT_TIME(%Y %%)%',
    '%METADATA(ROUTE:a:b)% %DYNAMIC_METADATA(a:b):9% %CEL(request.headers["a"])% %PATH(NQ)%',
    '%ENVIRONMENT(HOME)% %QUERY_PARAM(a):3% %QUERY_PARAMS:5% %RESPONSE_CODE_DETAILS(ALLOW_WHITESPACES)%\n',
  ])('reads %j', (accessLogFormat) => {
    expect(reasonsOf({ accessLogFormat })).toEqual([]);
  });

  test.each([
    ['100%', 'no operator starts at "%" (a percent sign is written "%%")'],
    ['%req(a)%', 'no operator starts at "%req(a)%" (a percent sign is written "%%")'],
    ['%PROTOCOL', 'no operator starts at "%PROTOCOL" (a percent sign is written "%%")'],
    ['%REQ(a):%', 'no operator starts at "%REQ(a):%" (a percent sign is written "%%")'],
    ['a %REQ(a\nb)%', 'no operator starts at "%REQ(a" (a percent sign is written "%%")'],
    ['%%% x', 'no operator starts at "% x" (a percent sign is written "%%")'],
    ['%PROTOCOL% %METHOD%', 'Envoy has no operator "METHOD"'],
    ['%PROTOCOL(a)%', '"PROTOCOL" takes no parameters'],
    ['%PROTOCOL:3%', '"PROTOCOL" takes no length'],
    ['%START_TIME:3%', '"START_TIME" takes no length'],
    ['%REQ%', '"REQ" takes one header name, or two with "?" between them'],
    ['%REQ(a?b?c)%', '"REQ" takes one header name, or two with "?" between them'],
    ['%REQ(a b)%', '"REQ" takes one header name, or two with "?" between them'],
    ['%ENVIRONMENT%', '"ENVIRONMENT" needs a parameter'],
  ])('refuses %j', (accessLogFormat, reason) => {
    expect(reasonsOf({ accessLogFormat })).toEqual([reason]);
  });

  test.each([
    ['{"a": "%PROTOCOL%", "b": {"c": ["%REQ(a)%", 1, null, true]}, "%NONE%": ""}', []],
    ['{"b": {"c": [1, "%NONE%"]}}', ['Envoy has no operator "NONE"']],
    ['["%PROTOCOL%"]', ['it is not a JSON object, which accessLogEncoding JSON requires']],
    ['{"a": ', ['it is not a JSON object, which accessLogEncoding JSON requires']],
  ])('looks into the values of the JSON form: %s', (accessLogFormat, reasons) => {
    expect(reasonsOf({ accessLogFormat, accessLogEncoding: 'JSON' })).toEqual(reasons);
  });

  test('takes braces for text where the text form is asked for', () => {
    expect(reasonsOf({ accessLogFormat: '{"a": ' })).toEqual([]);
    expect(reasonsOf({ accessLogEncoding: 'JSON' })).toEqual([]);
  });
});

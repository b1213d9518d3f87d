import { describe, expect, test } from 'vitest';
import { defaultFields, defaultText } from '../../compiler/lower/access-log.ts';
import { defaultJsonFormat, defaultTextFormat, LogReader, type LogSettings } from './known-formats.ts';
import { loggedRequest } from './logged-request.ts';

const none: LogSettings = { accessLogFormat: '', accessLogEncoding: 'TEXT' };

function read(line: string, settings: LogSettings = none) {
  const result = new LogReader(settings).read(line);
  return 'fault' in result ? result.fault : loggedRequest(result.values);
}

const line = (path: string, agent = 'curl/8.5.0'): string =>
  `[2026-11-27T10:00:00.500Z] "GET ${path} HTTP/2" 403 UAEX rbac_access_denied_matched_policy[none] - "-" 0 19 3 - ` +
  `"192.0.2.7" "${agent}" "7b1c" "httpbin:8000" "-" inbound|80|| - [fd00::1]:80 10.0.0.2:40000 ` +
  'outbound_.8000_._.httpbin.foo.svc.cluster.local default';

describe('LogReader', () => {
  test('knows the default formats of the mesh configuration', () => {
    expect(defaultTextFormat).toBe(defaultText);
    expect(defaultJsonFormat).toEqual(defaultFields);
  });

  test('reads a line of the default text format', () => {
    expect(read(`${line('/info?a=b')}\n`)).toEqual({
      destination: { address: 'fd00::1', port: 80 },
      source: { address: '10.0.0.2', port: 40000 },
      tellsIdentity: false,
      serverName: 'outbound_.8000_._.httpbin.foo.svc.cluster.local',
      cluster: 'inbound|80||',
      protocol: 'h2',
      ...{ method: 'GET', path: '/info?a=b', authority: 'httpbin:8000' },
      headers: [
        ['x-forwarded-for', '192.0.2.7'],
        ['user-agent', 'curl/8.5.0'],
        ['x-request-id', '7b1c'],
      ],
      ...{ status: 403, details: 'rbac_access_denied_matched_policy[none]', startedAt: 1_795_773_600.5 },
      tells: {
        ...{ details: true, directAddress: false, path: 'original', serverName: true },
        headers: ['x-forwarded-for', 'user-agent', 'x-request-id'],
      },
    });
  });

  test('reads a line of the default JSON format, without the keys that it lacks', () => {
    const values = {
      ...{ method: 'POST', path: '/', protocol: 'HTTP/1.1', response_code: 200, response_code_details: 'via_upstream' },
      ...{ downstream_peer_uri_san: 'spiffe://cluster.local/ns/a/sa/b', user_agent: null },
    };
    expect(read(JSON.stringify(values))).toEqual({
      ...{ tellsIdentity: true, identity: 'spiffe://cluster.local/ns/a/sa/b', protocol: 'http/1.1' },
      ...{ method: 'POST', path: '/', headers: [], status: 200, details: 'via_upstream' },
      // An absent value is told too.
      tells: { details: true, directAddress: false, path: 'original', serverName: false, headers: ['user-agent'] },
    });
  });

  test('reads a line of a TCP connection', () => {
    const tcp = line('/')
      .replace('"GET / HTTP/2" 403', '"- - -" 0')
      .replace('rbac_access_denied_matched_policy[none] -', '- rbac_end');
    expect(read(tcp)).toMatchObject({ protocol: 'bytes', status: 0, details: 'rbac_end' });
  });

  test.each<[string, LogSettings, string]>([
    [
      'text with other operators and a sign for a per cent',
      {
        accessLogFormat: '100%% %REQ(:Authority)% <%REQ(X-Team?X-Group)%> %PATH_OF% %RESPONSE_CODE%\n',
        accessLogEncoding: 'TEXT',
      },
      '100% shop <red> - 204',
    ],
    [
      'JSON with objects in it, and text around an operator',
      {
        accessLogFormat:
          '{"http": {"host": "%REQ(:AUTHORITY)%", "note": "team=%REQ(X-TEAM?X-GROUP)%!"}, "code": "%RESPONSE_CODE%"}',
        accessLogEncoding: 'JSON',
      },
      '{"http": {"host": "shop", "note": "team=red!"}, "code": 204, "other": 1}',
    ],
  ])('reads a format of the user: %s', (_, settings, text) => {
    const read = new LogReader(settings).read(text);
    const values = 'values' in read ? read.values : [];
    expect(values.map(({ operator, value }) => [operator.name, operator.argument, value])).toEqual(
      expect.arrayContaining([
        ['REQ', ':authority', 'shop'],
        ['REQ', 'x-team?x-group', 'red'],
        ['RESPONSE_CODE', '', '204'],
      ]),
    );
  });

  test('takes a value that may be cut for none', () => {
    const settings: LogSettings = {
      accessLogFormat: '%REQ(:METHOD)% %REQ(:PATH):5% %RESPONSE_CODE%',
      accessLogEncoding: 'TEXT',
    };
    expect(read('GET /abcd 200', settings)).not.toHaveProperty('path');
    expect(read('GET /abc 200', settings)).toMatchObject({ path: '/abc' });
  });

  test('tells an empty header from none, and knows nothing of one that may be none', () => {
    const settings: LogSettings = { accessLogFormat: '{"team":"%REQ(X-TEAM)%"}', accessLogEncoding: 'JSON' };
    const known = { headers: ['x-team'] };
    expect(read('{"team":""}', settings)).toMatchObject({ headers: [['x-team', '']], tells: known });
    expect(read('{"team":null}', settings)).toMatchObject({ headers: [], tells: known });
    expect(read('{"team":"-","method":"GET"}', settings)).toMatchObject({ headers: [], tells: { headers: [] } });
  });

  test('reads the path itself where the format has the original one too', () => {
    const both = '{"first":"%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%","path":"%REQ(:PATH)%"}';
    const settings: LogSettings = { accessLogFormat: both, accessLogEncoding: 'JSON' };
    expect(read('{"first":"/api/x","path":"/x"}', settings)).toMatchObject({ path: '/x', tells: { path: 'last' } });
  });

  test('refuses a line that a client has given two readings', () => {
    const forged = line('/', 'a" "7b1c" "other:80" "-" inbound|80|| - 10.9.9.9:80 10.8.8.8:1 - default');
    expect(read(forged)).toMatch(/^the line can be read in more than one way/);
    expect(read(line('/', 'an agent with blanks'))).toMatchObject({ path: '/' });
  });

  test.each([
    [
      '{"response_code": "abc", "path": "/"}',
      '%RESPONSE_CODE% of the line is "abc", expected a status, or 0 where there was no answer',
    ],
    ['{"response_code": -1}', '%RESPONSE_CODE% of the line is "-1"'],
    ['{"response_code": 2e99}', '%RESPONSE_CODE% of the line is "2e+99"'],
    ['{"response_code": true}', '%RESPONSE_CODE% of the line is "true"'],
    ['{"start_time": "yesterday"}', '%START_TIME% of the line is "yesterday", expected a time such as'],
    ['{"protocol": "SPDY"}', '%PROTOCOL% of the line is "SPDY", expected HTTP/1.0,'],
    ['{"path": "/a", "method": "GET", "path": "/b"}', 'the line has the key "path" twice'],
    ['{"path" : "/a", "path"\t: "/b"}', 'the line has the key "path" twice'],
    ['{"path" :"/a","path":"/\\":"}', 'the line has the key "path" twice'],
    ['{"path":"/a","x":{"y":[{"z":1,"z":2}]}}', 'the line has the key "z" twice'],
    [String.raw`{"path": "/a", "\u0070ath": "/b"}`, 'the line has the key "path" twice'],
  ])('refuses the line %s, and says which value it is', (text, fault) => {
    expect(read(text)).toContain(fault);
  });

  test.each(['', 'nonsense', '{"a": 1}', '{broken', '{"path": {"a": 1}}', line('/ x')])(
    'refuses the line %j',
    (text) => {
      expect(read(text)).toMatch(/^the line has none of the known formats/);
    },
  );
});

import { describe, expect, test } from 'vitest';
import { findEnvoy } from '../../envoy/process.ts';
import { validateConfig } from '../../envoy/validate.ts';
import { checkAccessLog } from './access-log.ts';
import { type OperatorShape, operators } from './log-operators.ts';

const binary = findEnvoy({ proxyBinary: undefined, env: process.env, repositoryRoot: process.cwd() });

/** The real Envoy's verdict on a format, given to the log of its admin interface. */
async function isAccepted(logFormat: object): Promise<boolean> {
  const typed_config = {
    '@type': 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog',
    log_format: logFormat,
  };
  const access_log = [{ name: 'log', typed_config }];
  const address = { socket_address: { address: '127.0.0.1', port_value: 0 } };
  return (await validateConfig(binary, { admin: { access_log, address } })).ok;
}

const text = (format: string): object => ({ text_format_source: { inline_string: format } });

function isRead(accessLogFormat: string): boolean {
  let reports = 0;
  checkAccessLog({ accessLogFormat }, () => {
    reports += 1;
  });
  return reports === 0;
}

/** Forms of one operator that its shape allows. */
const forms: Readonly<Record<OperatorShape, readonly string[]>> = {
  bare: ['', '()'],
  optional: ['', '()', '(%s)'],
  header: ['(a)', '(:path?x-b)', '(a):3'],
  name: ['(a)', '(a):3'],
  length: ['', ':3'],
  special: [],
};

describe('the operators of access logs', () => {
  test('are taken by the real Envoy in every form of their shape', async () => {
    const all = [...operators].flatMap(([name, shape]) => forms[shape].map((form) => `%${name}${form}%`));
    expect(all.length).toBeGreaterThan(300);
    expect(await isAccepted(text(all.join(' ')))).toBe(true);
    expect(await isAccepted({ json_format: { list: all, nested: { '%NONE%': null, one: 1 } } })).toBe(true);
  });

  test.each([
    '%PATH(NQ)% %COMMON_DURATION(DS_RX_BEG:DS_RX_END:ms)% %METADATA(ROUTE:a:b)% %FILTER_STATE(a:PLAIN)%',
    '100%% %REQ(a%b)%',
    '100%',
    '%%%',
    '%PROTOCOL',
    '%req(a)%',
    '%REQ(a):%',
    '%REQ(a\nb)%',
    '% PROTOCOL%',
    '%METHOD%',
    '%PROTOCOL(a)%',
    '%PROTOCOL:3%',
    '%START_TIME:3%',
    '%START_TIME(%s):3%',
    '%REQ%',
    '%REQ()%',
    '%REQ(a?b?c)%',
    '%REQ(a b)%',
    '%REQ(a)b)%',
    '%ENVIRONMENT%',
    '%QUERY_PARAM%',
    '%QUERY_PARAMS(a)%',
  ])('are judged by us as by the real Envoy in %j', async (format) => {
    expect(isRead(format)).toBe(await isAccepted(text(format)));
  });
});

import { describe, expect, test } from 'vitest';
import { dnsOf } from './dns.ts';

const any = (port: number) => ({ host: '', port });
const local = (port: number) => ({ host: '127.0.0.1', port });

describe('dnsOf', () => {
  test.each<[Readonly<Record<string, string>>, Parameters<typeof dnsOf>[0], ReturnType<typeof dnsOf>]>([
    [{}, {}, { plain: any(15_053), tls: any(853), isUsual: { plain: true, tls: true } }],
    [
      { DNS_ADDR: '127.0.0.1:5353' },
      {},
      { plain: local(5_353), tls: local(853), isUsual: { plain: false, tls: true } },
    ],
    [{}, { dnsTlsAddr: any(15_853) }, { plain: any(15_053), tls: any(15_853), isUsual: { plain: true, tls: false } }],
    [{ DNS_ADDR: '' }, {}, undefined],
    [
      { DNS_ADDR: '' },
      { dnsTlsAddr: any(15_853) },
      { plain: undefined, tls: any(15_853), isUsual: { plain: false, tls: false } },
    ],
  ])('serves DNS where DNS_ADDR says (%j)', (environment, flags, expected) => {
    expect(dnsOf(flags, environment, true)).toEqual(expected);
  });

  test('serves none where there is no mesh', () => {
    expect(dnsOf({}, { DNS_ADDR: ':15053' }, false)).toBeUndefined();
    expect(() => dnsOf({}, { DNS_ADDR: ':53' }, false)).toThrow('DNS_ADDR has an effect with --config, --git or');
  });
});

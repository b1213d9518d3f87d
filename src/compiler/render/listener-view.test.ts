import { describe, expect, test } from 'vitest';
import { chainIR, httpIR, listenerIR, matchIR, tcpIR } from '../../testing/ir.ts';
import { listener } from './testing/rendered.ts';

describe('listeners', () => {
  test.each([
    ['NONE', false, false, 'KEEP_UNCHANGED'],
    ['BASE', true, false, 'KEEP_UNCHANGED'],
    ['MERGE_SLASHES', true, true, 'KEEP_UNCHANGED'],
    ['DECODE_AND_MERGE_SLASHES', true, true, 'UNESCAPE_AND_FORWARD'],
  ] as const)('normalize paths at level %s', (pathNormalization, normalize, merge, action) => {
    const chain = chainIR('c', httpIR('r', { pathNormalization }));
    expect(listener(listenerIR('l', 1, { filterChains: [chain] })).json).toMatchObject({
      filter_chains: [
        {
          filters: [
            {
              typed_config: {
                normalize_path: normalize,
                merge_slashes: merge,
                path_with_escaped_slashes_action: action,
              },
            },
          ],
        },
      ],
    });
  });

  test('limit the time for request headers inbound only', () => {
    const config = (direction: 'inbound' | 'outbound'): string =>
      listener(listenerIR('l', 1, { filterChains: [chainIR('c', httpIR('r', { direction }))] })).text;
    expect(config('inbound')).toContain('"request_headers_timeout"');
    expect(config('outbound')).not.toContain('"request_headers_timeout"');
  });

  test('escape percent signs in what is a format string', () => {
    const chain = chainIR('c', httpIR('r', { alpnOverride: { alpn: ['a%b', 'c'] } }));
    expect(listener(listenerIR('l', 1, { filterChains: [chain] })).text).toContain('"inline_string": "a%%b,c"');
  });

  test('log connections on request', () => {
    expect(listener(listenerIR('l', 1)).text).toContain('%FILTER_CHAIN_NAME%');
    expect(listener(listenerIR('l', 1, { accessLog: false })).json).not.toHaveProperty('access_log');
  });

  test('match single addresses as blocks of one', () => {
    const match = matchIR({ destinationPrefixes: ['10.0.0.0/8', '10.0.0.1', 'fd00::1'] });
    const json = listener(listenerIR('l', 1, { filterChains: [chainIR('c', tcpIR('x'), { match })] })).json;
    expect(json).toMatchObject({
      filter_chains: [
        { filter_chain_match: { prefix_ranges: [{ prefix_len: 8 }, { prefix_len: 32 }, { prefix_len: 128 }] } },
      ],
    });
  });
});

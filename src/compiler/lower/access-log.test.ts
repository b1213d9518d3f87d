import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import {
  clientScope,
  effective,
  effectiveOutbound,
  inboundModes,
  meshService,
  meshTopology,
  meshWorkload,
  ports,
} from '../../testing/topology.ts';
import type { AccessLogIR } from '../ir/listener.ts';
import { accessLog } from './access-log.ts';
import { createLowerCache, lower } from './lower.ts';

const withLog = (settings: Partial<Settings> = {}): Settings => ({
  ...defaultSettings,
  accessLogFile: '/dev/stdout',
  ...settings,
});

describe('accessLog', () => {
  test('is absent where no file is named', () => {
    expect(accessLog({ ...defaultSettings, accessLogFormat: '%PROTOCOL%' })).toBeUndefined();
  });

  test('ends the line of a text format, once', () => {
    const formats = ['%PROTOCOL%', '%PROTOCOL%\n'].map((accessLogFormat) => accessLog(withLog({ accessLogFormat })));
    expect(formats).toEqual(Array(2).fill({ path: '/dev/stdout', format: { text: '%PROTOCOL%\n' } }));
  });

  test('takes the fields of a JSON format as they are', () => {
    const format = '{"z": "%PROTOCOL%", "a": {"b": [1, null]}}';
    expect(accessLog(withLog({ accessLogFormat: format, accessLogEncoding: 'JSON' }))?.format).toEqual({
      json: JSON.parse(format),
    });
  });

  test('has the same fields in both default formats, except the identity of the peer', () => {
    const operators = (log: AccessLogIR | undefined): string[] => {
      return [...new Set(JSON.stringify(log?.format).match(/%[^% ]+%/g))].sort();
    };
    const text = operators(accessLog(withLog()));
    expect(text).toContain('%REQ(:METHOD)%');
    const json = operators(accessLog(withLog({ accessLogEncoding: 'JSON' })));
    expect(json).toEqual([...text, '%DOWNSTREAM_PEER_URI_SAN%'].sort());
  });

  test('is on every filter that ends a connection, in both directions', () => {
    const filtersOf = (settings: Settings) => {
      const service = meshService('a/httpbin', { ports: ports('80/auto', '81/tcp', '82/http', '443/tls') });
      const input = {
        topology: meshTopology(),
        effective: effective([effectiveOutbound(service)], inboundModes('PERMISSIVE')),
        settings,
        scopeOf: () => clientScope(),
      };
      const { inbound, outbound } = lower(
        meshWorkload('a/one', [service]),
        input,
        new DiagnosticBag(),
        createLowerCache(),
      );
      const chains = [...inbound.listeners, ...outbound.listeners].flatMap((listener) => [
        ...listener.filterChains,
        ...(listener.defaultFilterChain === undefined ? [] : [listener.defaultFilterChain]),
      ]);
      return chains.map(({ filter }) => filter);
    };
    const filters = filtersOf(withLog());
    expect(new Set(filters.map(({ kind }) => kind))).toEqual(new Set(['http', 'tcp']));
    expect(filters.filter((filter) => filter.accessLog?.path !== '/dev/stdout')).toEqual([]);
    expect(filtersOf(defaultSettings).filter((filter) => filter.accessLog !== undefined)).toEqual([]);
  });
});

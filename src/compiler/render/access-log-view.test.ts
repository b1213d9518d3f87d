import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { chainIR, httpIR, listenerIR, proxyIR, tcpIR } from '../../testing/ir.ts';
import type { AccessLogIR } from '../ir/listener.ts';
import { createRenderer } from './render.ts';

const text = [{ text: 't %PROTOCOL%\n' }, { text_format_source: { inline_string: 't %PROTOCOL%\n' } }] as const;
const json = [{ json: { b: ['%PROTOCOL%', 1], a: null } }, { json_format: { b: ['%PROTOCOL%', 1], a: null } }] as const;

describe('accessLogView', () => {
  test.each<[string, AccessLogIR['format'], string, object, object]>([
    ['/dev/stdout', text[0], 'stream.v3.StdoutAccessLog', {}, text[1]],
    ['/dev/stderr', json[0], 'stream.v3.StderrAccessLog', {}, json[1]],
    ['/dev/null', text[0], 'file.v3.FileAccessLog', { path: '/dev/null' }, text[1]],
  ])('logs requests and connections to %s', (path, format, type, place, log_format) => {
    const accessLog = { path, format };
    const filterChains = [chainIR('h', httpIR('r', { accessLog })), chainIR('t', tcpIR('x', { accessLog }))];
    const listeners = [listenerIR('l', 1, { filterChains })];
    const proxy = proxyIR({ inbound: { listeners, routes: [], clusters: [] } });
    const config = createRenderer().render(proxy, new DiagnosticBag());
    const typed_config = {
      '@type': `type.googleapis.com/envoy.extensions.access_loggers.${type}`,
      ...place,
      log_format,
    };
    const filters = [{ typed_config: { access_log: [{ typed_config }] } }];
    expect(config?.listeners[0]?.json).toMatchObject({ filter_chains: [{ filters }, { filters }] });
  });
});

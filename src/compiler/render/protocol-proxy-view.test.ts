import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { chainIR, listenerIR, proxyIR, redisIR, tcpIR, thriftIR } from '../../testing/ir.ts';
import type { FilterChainIR, ListenerIR } from '../ir/listener.ts';
import { createRenderer } from './render.ts';

/** JSON of a listener by the built-in templates. */
function rendered(listener: Partial<ListenerIR>): Record<string, unknown> {
  const listeners = [listenerIR('l', 1, listener)];
  const proxy = proxyIR({ inbound: { listeners, routes: [], clusters: [] } });
  return createRenderer().render(proxy, new DiagnosticBag())?.listeners[0]?.json ?? {};
}

/** The names of a listener's own logs, each with the filter that chooses what it logs. */
function logs(filterChains: readonly FilterChainIR[], accessLog: boolean, fallback?: FilterChainIR): string[] {
  const json = rendered({ filterChains, accessLog, ...(fallback && { defaultFilterChain: fallback }) });
  const entries = (json.access_log ?? []) as {
    readonly name: string;
    readonly filter?: { readonly extension_filter?: { readonly typed_config: { readonly expression: string } } };
  }[];
  return entries.map(({ name, filter }) => [name, filter?.extension_filter?.typed_config.expression].join(' ').trim());
}

describe('logs of a Redis proxy', () => {
  const accessLog = { path: '/dev/null', format: { text: 'x\n' } };
  const logged = redisIR('c', { accessLog, accessLogCluster: 'als' });
  const ofChain = (chain: string): string[] => [
    `envoy.access_loggers.file xds.filter_chain_name == ${JSON.stringify(chain)}`,
    `envoy.access_loggers.tcp_grpc xds.filter_chain_name == ${JSON.stringify(chain)}`,
  ];

  test("are its listener's, beside that of the listener itself", () => {
    const own = 'envoy.access_loggers.stdout';
    expect(logs([chainIR('a', logged)], true)).toEqual([own, ...ofChain('a')]);
    expect(logs([chainIR('[::1]_1-"', logged)], false)).toEqual(ofChain('[::1]_1-"'));
    expect(logs([chainIR('a', tcpIR('c', { accessLog }))], true, chainIR('b', logged))).toEqual([own, ...ofChain('b')]);
  });

  test('are none where nothing is logged', () => {
    expect(logs([chainIR('a', redisIR('c'))], false)).toEqual([]);
    expect(logs([chainIR('a', thriftIR('c', { accessLog }))], false)).toEqual([]);
  });
});

describe('logs of a Thrift proxy', () => {
  test.each([
    [{}, undefined],
    [{ accessLog: { path: '/dev/stdout', format: { text: 'x\n' } } }, ['envoy.access_loggers.stdout']],
    [{ accessLogCluster: 'als' }, ['envoy.access_loggers.tcp_grpc']],
  ])('of %j are its own', (log, names) => {
    const json = rendered({ filterChains: [chainIR('a', thriftIR('c', log))], accessLog: false });
    const chains = json.filter_chains as { filters: { typed_config: { access_log?: { name: string }[] } }[] }[];
    expect(chains[0]?.filters[0]?.typed_config.access_log?.map(({ name }) => name)).toEqual(names);
    expect(json.access_log).toBeUndefined();
  });
});

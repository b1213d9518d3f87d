import type { Fragment } from '../../envoy/api/fragment.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { FilterChainIR, FilterChainMatchIR, ListenerFiltersIR, ListenerIR } from '../ir/listener.ts';
import { expectList, expectValue, type Lose, texts } from './expect.ts';
import { accessLosses } from './lost-access.ts';
import { networkFilterLosses } from './lost-filter.ts';
import { gatewayTlsLosses } from './lost-gateway-tls.ts';
import { downstreamTlsLosses } from './lost-tls.ts';

/** Where the listener listens, what its inspectors see, and its chains, none fewer and none more. */
export function listenerLosses(json: Fragment, listener: ListenerIR, lose: Lose): void {
  addressLosses(json, listener, lose);
  expectValue(json.at('traffic_direction'), listener.direction, lose);
  expectValue(json.at('bind_to_port'), listener.bindToPort, lose, true);
  expectValue(json.at('use_original_dst'), listener.useOriginalDst, lose, false);
  expectValue(json.at('transparent'), listener.transparent, lose, false);
  if (json.at('filter_chain_matcher').exists) {
    lose(json.at('filter_chain_matcher'), 'filter_chain_matcher takes the place of the matches of the chains');
  }
  listenerFilterLosses(json, listener.listenerFilters, lose);

  const chains = json.at('filter_chains');
  const wanted = new Map(listener.filterChains.map((chain) => [chain.name, chain]));
  for (const chain of chains.items) {
    const name = String(chain.at('name').value);
    const ir = wanted.get(name);
    if (ir === undefined) lose(chain, `no rule asks for the filter chain "${name}"`);
    else chainLosses(chain, ir, lose);
    wanted.delete(name);
  }
  for (const name of wanted.keys()) lose(chains, `the filter chain "${name}" is missing`);
  const fallback = json.at('default_filter_chain');
  if (listener.defaultFilterChain !== undefined) chainLosses(fallback, listener.defaultFilterChain, lose);
  else if (fallback.exists) lose(fallback, 'no rule asks for a default filter chain');
}

function addressLosses(json: Fragment, { addresses, port }: ListenerIR, lose: Lose): void {
  const others = json.at('additional_addresses');
  const sockets = [json.at('address'), ...others.items.map((item) => item.at('address'))];
  const found = sockets.map((socket) => {
    const address = socket.at('socket_address');
    return `${String(address.at('address').value)} ${String(address.at('port_value').value)}`;
  });
  const wanted = addresses.map((address) => `${address} ${port}`);
  expectList(others.exists ? others : json.at('address'), found, wanted, lose);
}

function chainLosses(chain: Fragment, ir: FilterChainIR, lose: Lose): void {
  if (!chain.exists) {
    lose(chain, `the filter chain "${ir.name}" is missing`);
    return;
  }
  matchLosses(chain.at('filter_chain_match'), ir.match, lose);
  const socket = chain.at('transport_socket');
  if (ir.tls?.kind === 'gateway') gatewayTlsLosses(socket, ir.tls, lose);
  else downstreamTlsLosses(socket, ir.tls, lose);
  accessLosses(chain.at('filters'), ir.policyFilters, lose);
  networkFilterLosses(chain.at('filters'), ir.filter, lose);
}

const matchFields = new Set([
  'destination_port',
  'transport_protocol',
  'application_protocols',
  'server_names',
  'prefix_ranges',
  'source_prefix_ranges',
]);

function matchLosses(match: Fragment, ir: FilterChainMatchIR, lose: Lose): void {
  expectValue(match.at('destination_port'), ir.destinationPort, lose);
  expectValue(match.at('transport_protocol'), ir.transportProtocol, lose);
  const protocols = match.at('application_protocols');
  expectList(protocols, texts(protocols), ir.applicationProtocols, lose);
  const names = match.at('server_names');
  expectList(names, texts(names), ir.serverNames, lose);
  blockLosses(match.at('prefix_ranges'), ir.destinationPrefixes, lose);
  blockLosses(match.at('source_prefix_ranges'), ir.sourcePrefixes ?? [], lose);
  for (const field of match.fields) {
    if (!matchFields.has(field)) lose(match.at(field), `no rule asks for a match of ${field}`);
  }
}

function blockLosses(ranges: Fragment, wanted: readonly string[], lose: Lose): void {
  const blocks = ranges.items.map((range) => {
    return `${String(range.at('address_prefix').value)}/${String(range.at('prefix_len').value ?? 0)}`;
  });
  expectList(ranges, blocks, wanted.map(fullBlock), lose);
}

function fullBlock(block: string): string {
  if (block.includes('/')) return block;
  return `${block}/${block.includes(':') ? 128 : 32}`;
}

const filterTypes = {
  proxyProtocol: 'envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol',
  originalDst: 'envoy.extensions.filters.listener.original_dst.v3.OriginalDst',
  originalSrc: 'envoy.extensions.filters.listener.original_src.v3.OriginalSrc',
  tlsInspector: 'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector',
  httpInspector: 'envoy.extensions.filters.listener.http_inspector.v3.HttpInspector',
} as const;

/** Chain matches hold only for what an inspector has seen. */
function listenerFilterLosses(json: Fragment, ir: ListenerFiltersIR, lose: Lose): void {
  const filters = json.at('listener_filters');
  const find = (kind: keyof typeof filterTypes, isWanted: boolean): Fragment | undefined => {
    const found = filters.items.find((filter) => filter.at('typed_config').type === filterTypes[kind]);
    if (isWanted && found === undefined) lose(filters, `the listener filter ${filterTypes[kind]} is missing`);
    if (!isWanted && found !== undefined) lose(found, `no rule asks for the listener filter ${filterTypes[kind]}`);
    return found;
  };
  const inFront = find('proxyProtocol', ir.proxyProtocol === true);
  if (inFront !== undefined) {
    expectValue(inFront.at('typed_config', 'allow_requests_without_proxy_protocol'), false, lose, false);
  }
  find('originalDst', ir.originalDst);
  const source = find('originalSrc', ir.originalSrcMark !== undefined);
  if (source !== undefined) expectValue(source.at('typed_config', 'mark'), ir.originalSrcMark, lose);
  for (const kind of ['tlsInspector', 'httpInspector'] as const) {
    const inspector = find(kind, ir[kind] !== undefined);
    if (inspector === undefined) continue;
    const disabled = inspector.at('filter_disabled');
    expectList(disabled, disabledPorts(disabled), (ir[kind]?.disabledPorts ?? []).map(String), lose);
  }
  expectValue(json.at('listener_filters_timeout'), formatDuration(ir.timeoutMs), lose, '15s');
  expectValue(json.at('continue_on_listener_filters_timeout'), ir.continueOnTimeout, lose, false);
}

/** Ports for which an inspector is off; the JSON text of what is no single port. */
function disabledPorts(predicate: Fragment): string[] {
  if (!predicate.exists) return [];
  const rules = predicate.at('or_match', 'rules').items;
  return (rules.length === 0 ? [predicate] : rules).map((rule) => {
    const range = rule.at('destination_port_range');
    const [start, end] = [range.at('start').value, range.at('end').value];
    const isPort = rule.fields.length === 1 && typeof start === 'number' && end === start + 1;
    return isPort ? String(start) : JSON.stringify(rule.value);
  });
}

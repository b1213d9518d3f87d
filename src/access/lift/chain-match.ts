import { AddressBlock } from '../model/address-block.ts';
import type { Message } from './message.ts';

/** Conditions of a filter chain for connections; an empty or absent condition accepts any. */
export interface ChainMatch {
  /** Of the original destination. */
  readonly port: number | undefined;
  readonly destinations: readonly AddressBlock[];
  readonly serverNames: readonly string[];
  readonly transport: string | undefined;
  readonly alpn: readonly string[];
  readonly sources: readonly AddressBlock[];
}

/** Envoy's `FilterChainMatch`. */
export function liftChainMatch(match: Message): ChainMatch {
  const blocks = (field: string): readonly AddressBlock[] =>
    match
      .messages(field, 'envoy.config.core.v3.CidrRange')
      .map((range) => new AddressBlock(range.text('address_prefix'), range.number('prefix_len') ?? 0));
  return {
    port: match.number('destination_port'),
    destinations: blocks('prefix_ranges'),
    serverNames: match.texts('server_names').map((name) => name.toLowerCase()),
    transport: match.text('transport_protocol') || undefined,
    alpn: match.texts('application_protocols'),
    sources: blocks('source_prefix_ranges'),
  };
}

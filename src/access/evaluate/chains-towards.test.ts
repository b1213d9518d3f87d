import { expect, test } from 'vitest';
import { Fragment } from '../../envoy/api/fragment.ts';
import { liftListener } from '../lift/listener.ts';
import { chainsTowards } from './chains-towards.ts';

const block = (address_prefix: string, prefix_len: number): object => ({
  prefix_ranges: [{ address_prefix, prefix_len }],
});

const listener = liftListener(
  new Fragment({
    name: 'l',
    address: { socket_address: { address: '0.0.0.0', port_value: 80 } },
    filter_chains: [
      { name: 'near', filter_chain_match: { destination_port: 80, ...block('10.0.0.0', 8) } },
      { name: 'nearer', filter_chain_match: { destination_port: 80, ...block('10.1.0.0', 16) } },
      { name: 'any', filter_chain_match: { destination_port: 80, transport_protocol: 'tls', server_names: ['a'] } },
      { name: 'any plain', filter_chain_match: { destination_port: 80 } },
      { name: 'other port', filter_chain_match: {} },
    ],
  }),
);

test.each([
  ['the smallest block with the address', '10.1.2.3', 80, ['nearer'], ['nearer']],
  ['a greater block', '10.2.2.3', 80, ['near'], ['near']],
  ['the smallest block, asked again', '10.1.2.3', 80, ['nearer'], ['nearer']],
  ['an address in no block', '11.0.0.1', 80, ['any', 'any plain'], ['any']],
  ['a port that no chain names', '10.1.2.3', 81, ['other port'], ['other port']],
])('towards %s the chains are those of its port and address', (_, address, port, names, overTls) => {
  const { chains, nameServers, nameSources, ofTransport } = chainsTowards(listener, { address, port });
  expect(chains.map(({ name }) => name)).toEqual(names);
  expect(ofTransport.tls.map(({ name }) => name)).toEqual(overTls);
  expect(ofTransport.raw_buffer.map(({ name }) => name)).toEqual(names.filter((name) => name !== 'any'));
  expect([nameServers, nameSources]).toEqual([names.includes('any'), false]);
});

import { expect, test } from 'vitest';
import { AddressBlock, addressBytes, isIpAddress, writtenBytes } from './address-block.ts';

test.each([
  ['1.2.3.4', true, true],
  ['::ffff:1.2.3.4', true, false],
  ['::ffff:102:304', true, false],
  ['2001:db8::1', false, false],
])(
  '%s is in a block of IPv4 as an address of a connection, and as one that a header tells',
  (text, ofConnection, ofHeader) => {
    const block = new AddressBlock('1.2.3.0', 24);
    expect(block.holds(addressBytes(text))).toBe(ofConnection);
    expect(block.holds(writtenBytes(text))).toBe(ofHeader);
  },
);

test.each([
  ['::ffff:1.2.3.4', true],
  ['::ffff:01.2.3.4', false],
  ['1.2.3.4', true],
  ['01.2.3.4', false],
  ['1:2:3:4:5:6:7::', true],
])('%s is an address: %s', (text, isAddress) => {
  expect(isIpAddress(text)).toBe(isAddress);
});

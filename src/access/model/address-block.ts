import ipaddr from 'ipaddr.js';

/** A block of IP addresses, as Envoy's `CidrRange` names it. */
export class AddressBlock {
  readonly text: string;
  readonly length: number;
  /** Of the whole prefix, as `addressBytes` gives them. */
  readonly bytes: readonly number[];

  constructor(prefix: string, length: number) {
    this.text = `${prefix}/${length}`;
    this.length = length;
    this.bytes = addressBytes(prefix);
  }

  /** Bytes of an address of its family. */
  get family(): number {
    return this.bytes.length;
  }

  /** `address` as bytes: 4 of IPv4, 16 of IPv6. */
  holds(address: readonly number[]): boolean {
    if (address.length !== this.bytes.length) return false;
    const whole = this.length >> 3;
    for (let i = 0; i < whole; i++) if (address[i] !== this.bytes[i]) return false;
    const rest = this.length & 7;
    if (rest === 0) return true;
    const mask = (0xff << (8 - rest)) & 0xff;
    return ((address[whole] ?? 0) & mask) === ((this.bytes[whole] ?? 0) & mask);
  }
}

/** 4 bytes of an IPv4 address, 16 of an IPv6 address; IPv4 in the form of IPv6 is IPv4, as Envoy's listeners see it. */
export function addressBytes(text: string): readonly number[] {
  const known = read.get(text);
  if (known !== undefined) return known;
  // The library takes the texts of each form apart by a list of expressions.
  const bytes = decimal.test(text) ? text.split('.').map(Number) : ipaddr.process(text).toByteArray();
  // Logs have any number of addresses.
  if (read.size >= mostRead) read.clear();
  read.set(text, bytes);
  return bytes;
}

/** The same of an address that a header tells: IPv4 in the form of IPv6 stays IPv6 there. */
export function writtenBytes(text: string): readonly number[] {
  return decimal.test(text) ? addressBytes(text) : ipaddr.parse(text).toByteArray();
}

/** Bytes by text: the same few addresses are met at each step of a request. */
const read = new Map<string, readonly number[]>();
const mostRead = 4096;

/** Whether `addressBytes` can read it: four decimal numbers without needless zeros, or an address of IPv6. */
export function isIpAddress(text: string): boolean {
  // Most texts that are none are told without an exception, which costs more than all else of a request.
  if (!text.includes(':')) return decimal.test(text);
  // The library takes needless zeros in an IPv4 address at the end of an IPv6 address.
  const isPlain = !text.includes('.') || decimal.test(text.slice(text.lastIndexOf(':') + 1));
  return isPlain && /^[\da-f:.%]+/i.test(text) && ipaddr.IPv6.isValid(text);
}

const decimal = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** An address and port, for `socket-address`. */
export interface AddressView {
  readonly address: string;
  readonly port: number;
}

/** Envoy's CidrRange; an address without a length is a single host. */
export interface CidrView {
  readonly address_prefix: string;
  readonly prefix_len: number;
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a bare address, which topology has validated. */
export function cidrView(block: string): CidrView {
  const [address = '', length] = block.split('/');
  const full = address.includes(':') ? 128 : 32;
  return { address_prefix: address, prefix_len: length === undefined ? full : Number(length) };
}

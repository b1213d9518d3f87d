import { isIP } from 'node:net';

/** A configuration server, and how it is reached. All of it can be sent to a thread. */
export interface StreamAddress {
  /** `host:port`. */
  readonly address: string;
  /** PILOT_ENABLE_INCREMENTAL_MCP: it sends what has changed; false: all of a type each time. */
  readonly isIncremental: boolean;
  /** Files that make the connection secure; absent: it is in plain text. */
  readonly files: StreamFiles | undefined;
}

/** Files of credentials (PEM), which are read for each connection. */
export interface StreamFiles {
  /** Roots that the server's certificate must lead to. */
  readonly roots: string;
  /** The certificate that is shown, and its key. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** The `host:port` of `xds://host:port`; undefined for any other text. */
export function streamAddressOf(text: string): string | undefined {
  const [, address = '', digits] = /^xds:\/\/((?:\[[0-9a-fA-F:.]+\]|[^:/[\]\s]+):(\d{1,5}))\/?$/.exec(text) ?? [];
  return digits === undefined || Number(digits) > 65_535 || Number(digits) === 0 ? undefined : address;
}

/** Whether nobody on a network can read or change what is sent to the address. */
export function isOnThisMachine(address: string): boolean {
  const host = address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

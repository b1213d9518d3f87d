/** What a connection manager removes from an authority before anything reads it. */
export interface AuthorityOptions {
  readonly stripsAnyPort: boolean;
  readonly stripsTrailingDot: boolean;
}

/**
 * The authority as matchers and routes see it (Envoy's `HeaderUtility::stripPortFromHost` and `stripTrailingHostDot`): a
 * dot before a port goes too, and only digits are a port.
 */
export function stripAuthority(authority: string, { stripsAnyPort, stripsTrailingDot }: AuthorityOptions): string {
  const undotted = stripsTrailingDot ? stripDot(authority) : authority;
  return stripsAnyPort ? splitPort(undotted)[0] : undotted;
}

/** The host, and its port with the colon; the port is empty where there is none. */
export function splitPort(authority: string): readonly [host: string, port: string] {
  const [, host, port] = /^(.*?)(:\d*)$/s.exec(authority) ?? [];
  if (host === undefined || port === undefined) return [authority, ''];
  // An IPv6 address has colons of its own.
  return host.includes(':') && !host.endsWith(']') ? [authority, ''] : [host, port];
}

function stripDot(authority: string): string {
  const [host, port] = splitPort(authority);
  return host.endsWith('.') ? host.slice(0, -1) + port : authority;
}

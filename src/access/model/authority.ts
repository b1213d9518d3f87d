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
  if (!stripsAnyPort) return undotted;
  const host = withoutPort(undotted);
  return /^\d+$/.test(undotted.slice(host.length + 1)) ? host : undotted;
}

/** Without the last colon and what follows, whatever that is (Envoy's `HeaderUtility::getPortStart`). */
export function withoutPort(authority: string): string {
  // Most have none, which is found out faster from the beginning.
  if (!authority.includes(':')) return authority;
  const at = authority.lastIndexOf(':');
  // An IPv6 address in brackets has colons of its own.
  return authority.lastIndexOf(']') > at ? authority : authority.slice(0, at);
}

function stripDot(authority: string): string {
  if (!authority.endsWith('.') && !authority.includes('.:')) return authority;
  const at = authority.lastIndexOf('.');
  const next = authority[at + 1];
  return at !== -1 && (next === undefined || next === ':')
    ? authority.slice(0, at) + authority.slice(at + 1)
    : authority;
}

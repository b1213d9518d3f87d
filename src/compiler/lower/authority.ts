import type { StringMatchIR } from '../ir/string-match.ts';

const name = '[0-9A-Za-z_-]+(?:\\.[0-9A-Za-z_-]+)*';
const addressLiteral = '\\[[0-9A-Fa-f:.]+\\]';
const port = '(?::[0-9]+)?';

/**
 * An authority that everybody reads alike: a name of letters, digits, `-` and `_` between single dots, or an IPv6 address
 * in brackets, then perhaps a port of digits (RFC 3986, section 3.2). Envoy's routes take whatever stands before the last
 * colon for the host, URL libraries what stands behind an `@`, others what stands before the first comma; of such a one
 * they all take the same. No dot at the end: Envoy has taken away the one of a fully qualified name (connection managers
 * have `strip_trailing_host_dot`). No letter beyond ASCII, since Envoy's comparisons know the cases of those alone.
 */
export const canonicalAuthority: StringMatchIR = { kind: 'regex', value: `(?:${name}|${addressLiteral})${port}` };

/** As {@link canonicalAuthority}, or empty: requests of HTTP/1.1 for no host in particular have an empty Host line. */
export const canonicalOrNoAuthority: StringMatchIR = { kind: 'regex', value: `(?:${canonicalAuthority.value})?` };

/** An expression for a quoted host, in any case, with any port. */
export function withAnyPort(quotedHost: string): StringMatchIR {
  return { kind: 'regex', value: `(?i)${quotedHost}${port}` };
}

import { isIpAddress } from './address-block.ts';

/**
 * Whether Envoy leaves a `referer` with this text where it is: a URL without user and fragment, or what may stand in a URL in
 * place of a path (Envoy's Utility::isValidRefererValue). Undefined where that depends on Envoy's machine, as names of network
 * interfaces do, and of a text for which Envoy's numbers of 16 bits are too small.
 */
export function isReferer(text: string): boolean | undefined {
  if (text.length > 0xffff) return undefined;
  const host = hostOfUrl(text);
  if (host === undefined) return isPartOfUrl(text);
  const bracketed = /^\[(.*)\]$/.exec(host.name)?.[1];
  if (bracketed?.includes('%')) return undefined;
  if (bracketed !== undefined && !isIpAddress(bracketed)) return isPartOfUrl(text);
  return !host.isBesideMore;
}

/** The host of a URL with a host, and whether a user or a fragment stands beside it; undefined for any other text. */
function hostOfUrl(text: string): { readonly name: string; readonly isBesideMore: boolean } | undefined {
  const [, authority = '', rest = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?]+)([/?][!-~]*)?$/i.exec(text) ?? [];
  const [, user = '', name = '', port = ''] = authorityText.exec(authority) ?? [];
  if (name === '' || Number(port) > 65_535) return undefined;
  // An empty user or fragment is none.
  return { name, isBesideMore: user !== '' || /#./.test(rest) };
}

/** User, host and port. */
const authorityText = /^(?:([\w.!~*'()%;:&=+$,-]*)@)?([A-Za-z\d.-]+|\[[\dA-Fa-f:.]+(?:%[\w%.~-]+)?\])(?::(\d+))?$/;

/** A path with or without a slash at its begin, and a query; before the first slash is no colon. */
function isPartOfUrl(text: string): boolean {
  return /^[\w.~%!$&'()*+,;=@?-]*(?:\/[\w.~%!$&'()*+,;=@?:/-]*)?$/.test(text);
}

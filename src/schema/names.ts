import ipaddr from 'ipaddr.js';

const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const hostLabel = /^[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$/;
const wildcardLabel = /^(?:\*|(?:\*-)?[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?)$/;

/** A DNS label in lower case, at most 63 characters (RFC 1123). */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && label.test(text);
}

/** Labels in lower case, separated by dots, at most 253 characters (RFC 1123). */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => label.test(part));
}

/** A host name without wildcards; a trailing dot is allowed; a top level of digits only is not (it reads as an address). */
export function isHostName(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  if (name === '' || name.length > 255) return false;
  const labels = name.split('.');
  return labels.every((part) => part.length <= 63 && hostLabel.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '');
}

/** A host name whose first label may be `*` or begin with `*-`; `*` alone is every host. */
export function isWildcardHost(text: string): boolean {
  if (text === '*') return true;
  const dot = text.indexOf('.');
  if (dot === -1) return text.startsWith('*-') ? text.length <= 63 && wildcardLabel.test(text) : isHostName(text);
  const first = text.slice(0, dot);
  return first.length <= 63 && wildcardLabel.test(first) && text.length <= 255 && isHostName(text.slice(dot + 1));
}

/** A host that requests can be sent to: everything but `*`. */
export function isDestinationHost(text: string): boolean {
  return text !== '*' && isWildcardHost(text);
}

/**
 * `host`, `ns/host`, `./host` or any namespace with `*`; a host without dots says nothing about where it is, so only `*`
 * may lack them.
 */
export function isGatewayHost(text: string): boolean {
  const slash = text.indexOf('/');
  const host = slash === -1 ? text : text.slice(slash + 1);
  const namespace = text.slice(0, slash);
  if (slash !== -1 && namespace !== '*' && namespace !== '.' && !isDnsLabel(namespace)) return false;
  if (host === '*') return true;
  if (slash === -1 && isIpBlock(host) && !host.includes('/')) return true;
  return host.includes('.') && isWildcardHost(host);
}

/** `namespace/host`: the namespace may be `*`, `.` or `~`, the host `*` or a wildcard. */
export function isEgressHost(text: string): boolean {
  const [namespace = '', host, ...rest] = text.split('/');
  if (host === undefined || rest.length > 0) return false;
  return (['*', '.', '~'].includes(namespace) || isDnsLabel(namespace)) && (host === '*' || isWildcardHost(host));
}

/** `mesh`, `name`, `namespace/name`, or the older fully qualified form `name.namespace.svc…`. */
export function isGatewayReference(text: string): boolean {
  const parts = text.split('/');
  if (parts.length === 1) return isDnsLabel(text) || isHostName(text);
  return parts.length === 2 && (parts[0] === '.' || isDnsLabel(parts[0] ?? '')) && isDnsLabel(parts[1] ?? '');
}

/** Domain part of a SPIFFE identity (SPIFFE-ID section 2.1, capitals tolerated). */
export function isTrustDomain(text: string): boolean {
  return text.length <= 255 && /^[a-zA-Z0-9._-]+$/.test(text);
}

/** An address of either family in its usual notation, or a CIDR block. */
export function isIpBlock(text: string): boolean {
  const slash = text.indexOf('/');
  const address = slash === -1 ? text : text.slice(0, slash);
  const isV4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isV4 && !(address.includes(':') && !address.includes('%') && ipaddr.IPv6.isValid(address))) return false;
  if (slash === -1) return true;
  const bits = text.slice(slash + 1);
  return /^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (isV4 ? 32 : 128);
}

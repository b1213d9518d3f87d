import { parseDuration } from '../lib/duration.ts';
import { hasControl, isToken } from '../lib/header-text.ts';
import { isTrustDomain } from './names.ts';

/** A duration of at least `leastMs` that is a multiple of `stepMs`. */
export function isDurationText(bounds: { leastMs: number; stepMs: number }): (text: string) => boolean {
  return (text) => {
    const milliseconds = parseDuration(text);
    if (milliseconds === undefined || milliseconds < bounds.leastMs) return false;
    const steps = milliseconds / bounds.stepMs;
    return Math.abs(steps - Math.round(steps)) < 1e-9;
  };
}

/** A port in decimal, without sign or leading zeros. */
export function isPort(text: string, least: number): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) >= least && Number(text) <= 65535;
}

/** RFC 3339, as servers write `creationTimestamp`. */
export function isTimestamp(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
  );
}

/** A `token` of RFC 9110 section 5.6.2. */
export function isHeaderName(text: string): boolean {
  return isToken(text);
}

/** What the value of a header may hold (RFC 9110 section 5.5), and bytes above 0x7F. */
export function isFreeOfControls(text: string): boolean {
  return !hasControl(text);
}

/** What a client can send as a part of one line of HTTP/1.1: no line end, and no NUL. */
export function isOneLine(text: string): boolean {
  return !/[\r\n\0]/.test(text);
}

/** `Kind namespace/name` or `Kind name`, and optionally a field of the object. */
export function isDecider(text: string): boolean {
  return /^[A-Z]\w* \S.*$/.test(text);
}

/** No control characters, and every `%` is `%%` or begins a `%COMMAND%` (Envoy, custom request headers). */
export function isHeaderValue(text: string): boolean {
  if (!isFreeOfControls(text)) return false;
  return !text.replace(/%%|%[A-Z_0-9]+(?:\([^)]*\))?(?::\d+)?%/g, '').includes('%');
}

/** An absolute URI with a host that can be fetched from. */
export function isHttpUri(text: string): boolean {
  const match = /^https?:\/\/([^/?#]*)/.exec(text);
  if (match === null || match[1] === '' || !URL.canParse(text)) return false;
  return !new URL(text).port.startsWith('0');
}

/** JSON with a list of keys, each with its type (RFC 7517 section 5). */
export function isJsonWebKeySet(text: string): boolean {
  const keys = keysOf(text);
  return (
    keys?.every(
      (key) => typeof key === 'object' && key !== null && typeof (key as { kty?: unknown }).kty === 'string',
    ) ?? false
  );
}

/** The keys of a key set, unchecked; undefined when the text holds none. */
export function keysOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const keys = typeof value === 'object' && value !== null ? (value as { keys?: unknown }).keys : undefined;
    return Array.isArray(keys) && keys.length > 0 ? keys : undefined;
  } catch {
    // Text that is no JSON holds no keys; the caller reports it.
    return undefined;
  }
}

const gatewayProtocols = new Set([
  'HTTP',
  'HTTPS',
  'HTTP2',
  'GRPC',
  'GRPC-WEB',
  'MONGO',
  'MYSQL',
  'REDIS',
  'TCP',
  'TLS',
]);

/** A protocol of a gateway's port, in any case. */
export function isGatewayProtocol(text: string): boolean {
  return gatewayProtocols.has(text.toUpperCase());
}

const entryProtocols = new Set([...gatewayProtocols, 'HTTP_PROXY', 'UDP', 'THRIFT', '']);

/** A protocol of a ServiceEntry's port, in any case; an empty one is detected. */
export function isEntryProtocol(text: string): boolean {
  return entryProtocols.has(text.toUpperCase());
}

export const retryConditions: readonly string[] = [
  '5xx',
  'gateway-error',
  'reset',
  'reset-before-request',
  'connect-failure',
  'envoy-ratelimited',
  'retriable-4xx',
  'refused-stream',
  'retriable-status-codes',
  'cancelled',
  'deadline-exceeded',
  'internal',
  'resource-exhausted',
  'unavailable',
];

/** Conditions or statuses, separated by commas. They are not trimmed: Envoy would not know `" 503"`. */
export function isRetryOn(text: string): boolean {
  return text === '' || text.split(',').every((part) => retryConditions.includes(part) || /^[1-5]\d\d$/.test(part));
}

/** `<account>` or `<namespace>/<account>`, at most 320 characters. */
export function isServiceAccount(text: string): boolean {
  const parts = text.split('/');
  return text.length <= 320 && parts.length <= 2 && !text.includes('*') && parts.every((part) => part !== '');
}

/** A trust domain with at most one star, at one of its ends. */
export function isTrustDomainPattern(text: string): boolean {
  const plain = text.startsWith('*') ? text.slice(1) : text.endsWith('*') ? text.slice(0, -1) : text;
  return text === '*' || isTrustDomain(plain);
}

/**
 * A plain path, or one with `{*}` (one segment) and `{**}` (any number, last operator); no other braces (Envoy,
 * uri_template).
 */
export function isPathTemplate(text: string): boolean {
  if (!/[{}]/.test(text)) return true;
  if (!text.startsWith('/')) return false;
  const segments = text.slice(1).split('/');
  const last = segments.indexOf('{**}');
  if (last !== -1 && segments.slice(last + 1).some((segment) => segment.startsWith('{'))) return false;
  return segments.every(
    (segment) => segment === '{*}' || segment === '{**}' || /^[a-zA-Z0-9\-._~%!$&'()+,;:@=]*$/.test(segment),
  );
}

/** An address of loopback, or one that stands for the workload's own addresses, and a port. */
export function isIngressEndpoint(text: string): boolean {
  const port = /^(?:127\.0\.0\.1|\[::1\]|0\.0\.0\.0|\[::\]|):(\d+)$/.exec(text)?.[1];
  return port !== undefined && isPort(port, 1);
}

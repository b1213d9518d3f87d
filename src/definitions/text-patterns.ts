import { retryConditions } from '../schema/texts.ts';

/** What an API server can check of a text: an RE2 pattern, and a largest length in characters. */
export interface TextPattern {
  readonly pattern?: string;
  readonly maxLength?: number;
  /** Further expressions. */
  readonly allOf?: readonly { readonly pattern: string }[];
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const hostLabel = '[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?';
const host = `${hostLabel}(\\.${hostLabel})*\\.?`;
const anyHost = `(\\*|(\\*[-.])?${host})`;

const addressV4 = '[0-9]{1,3}(\\.[0-9]{1,3}){3}';
const addressV6 = '[0-9a-fA-F]*:[0-9a-fA-F:.]*';
const port = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';
const labelValue = '([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?';

const unit = '(ns|us|µs|μs|ms|s|m|h)';
const durationOrZero = `[+-]?0|\\+?([0-9.]+${unit})+|-([0.]+${unit})+`;

/** Control characters but the tab. */
const controls = '\\x00-\\x08\\x0A-\\x1F\\x7F';
const segment = "[a-zA-Z0-9\\-._~%!$&'()+,;:@=]*";
const template = `/((\\{\\*\\}|${segment})/)*(\\{\\*\\}|${segment}|\\{\\*\\*\\}(/${segment})*)`;
const statusOrCondition = `(${retryConditions.join('|')}|[1-5][0-9]{2})`;

/**
 * What an API server checks of each format. It refuses no text that the compiler accepts. The API server prints the pattern
 * when it refuses a text, so patterns are short enough to read; the rest, such as the numbers in an address, is left to the
 * compiler.
 */
export const textPatterns: Readonly<Record<string, TextPattern>> = {
  'destination-host': { pattern: whole(`(\\*[-.])?${host}`), maxLength: 256 },
  'dns-label': { pattern: whole(label), maxLength: 63 },
  'dns-subdomain': { pattern: whole(`${label}(\\.${label})*`), maxLength: 253 },
  duration: { pattern: whole(`\\+?([0-9.]+${unit})+`), allOf: [{ pattern: '[1-9]' }] },
  'duration-or-zero': { pattern: whole(durationOrZero) },
  'egress-host': { pattern: whole(`([*.~]|${label})/${anyHost}`), maxLength: 320 },
  'entry-protocol': {
    pattern: '^(?i:HTTP|HTTPS|HTTP2|HTTP_PROXY|GRPC|GRPC-WEB|MONGO|MYSQL|REDIS|TCP|TLS|UDP|THRIFT|)$',
    maxLength: 10,
  },
  'export-to': { pattern: whole(`[*.]|${label}`), maxLength: 63 },
  'gateway-host': {
    pattern: whole(`(([*.]|${label})/)?(\\*|\\*[-.]${host}|${hostLabel}(\\.${hostLabel})+\\.?)|${addressV6}`),
    maxLength: 320,
  },
  'gateway-protocol': { pattern: '^(?i:HTTP|HTTPS|HTTP2|GRPC|GRPC-WEB|MONGO|MYSQL|REDIS|TCP|TLS)$', maxLength: 8 },
  'gateway-reference': { pattern: whole(`${host}|(\\.|${label})/${label}`), maxLength: 256 },
  'header-name': { pattern: whole("[!#$%&'*+\\-.^_`|~0-9A-Za-z]+") },
  'header-value': { pattern: whole(`([^%${controls}]|%%|%[A-Z_0-9]+(\\([^)${controls}]*\\))?(:[0-9]+)?%)*`) },
  'host-or-address': { pattern: whole(`${anyHost}|${addressV6}`), maxLength: 256 },
  'http-uri': { pattern: '^https?://[^/?#]' },
  'ingress-endpoint': {
    pattern: whole('(127\\.0\\.0\\.1|\\[::1\\]|0\\.0\\.0\\.0|\\[::\\]|):[1-9][0-9]{0,4}'),
    maxLength: 15,
  },
  'ip-address': { pattern: whole(`${addressV4}|${addressV6}`), maxLength: 45 },
  'ip-block': { pattern: whole(`${addressV4}(/([12]?[0-9]|3[0-2]))?|${addressV6}(/[0-9]{1,3})?`), maxLength: 49 },
  jwks: { pattern: '^[ \\t\\r\\n]*\\{' },
  'label-value': { pattern: whole(labelValue), maxLength: 63 },
  'path-template': { pattern: whole(`[^{}]*|${template}`) },
  'port-text': { pattern: whole('0|[1-9][0-9]{0,4}') },
  'retry-on': { pattern: whole(`(${statusOrCondition}(,${statusOrCondition})*)?`) },
  'selector-value': { pattern: whole(labelValue), maxLength: 63 },
  'service-account': { pattern: whole('[^/*]+(/[^/*]+)?'), maxLength: 320 },
  'service-export-to': { pattern: whole(`[*.~]|${label}`), maxLength: 63 },
  'subset-name': { pattern: whole(label), maxLength: 63 },
  'token-prefix': { pattern: whole(`[^${controls}]*`) },
  'trust-domain-pattern': { pattern: whole('\\*|\\*?[a-zA-Z0-9._-]{1,255}|[a-zA-Z0-9._-]{1,255}\\*') },
  'whole-seconds': { pattern: whole(durationOrZero) },
  'wildcard-host': { pattern: whole(anyHost), maxLength: 256 },
};

/** Patterns of the keys of a map, by the format of its `propertyNames`. */
export const keyPatterns: Readonly<Record<string, string>> = {
  'label-key': whole(`(${label}(\\.${label})*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`),
  'port-key': whole(port),
};

/** A value with a star at one end at most, or a star alone. */
export const starAtOneEnd: string = whole('\\*|\\*[^*]+|[^*]+\\*?');

/** A path or a template of one, without a query and a fragment. */
export const requestPath: string = whole(`[/*][^{}?#]*|${template}`);

function whole(pattern: string): string {
  return `^(${pattern})$`;
}

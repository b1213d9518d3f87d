import { retryConditions } from '../schema/texts.ts';

/** What an API server can check of a text: a regular expression of RE2, and a bound in characters. */
export interface TextPattern {
  readonly pattern?: string;
  readonly maxLength?: number;
}

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const hostLabel = '[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?';
/** The last label of a host: one of digits only would read as an address. */
const topLabel = '(?:[0-9]*[a-zA-Z](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?|[0-9]+-[-a-zA-Z0-9]*[a-zA-Z0-9])';
const host = `(?:${hostLabel}\\.)*${topLabel}\\.?`;
/** A wildcard with a dot behind it, or `*-` and the rest of a label. */
const wildcard = `(?:\\*\\.${host}|\\*-${hostLabel}(?:\\.${host})?)`;
const anyHost = `(?:\\*|${wildcard}|${host})`;

const byte = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const addressV4 = `${byte}(?:\\.${byte}){3}`;
/** Which groups an address has is left to the compiler. */
const addressV6 = '[0-9a-fA-F]*:[0-9a-fA-F:.]*';
const address = `(?:${addressV4}|${addressV6})`;
const block = `(?:${addressV4}(?:/(?:3[0-2]|[12]?[0-9]))?|${addressV6}(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)`;

const port = '(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';
const labelValue = '(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?';

const unit = '(?:ns|us|µs|μs|ms|s|m|h)';
const part = `(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)${unit}`;
const zeroPart = `(?:0+\\.?0*|\\.0+)${unit}`;
const partAboveZero = `(?:[0-9]*[1-9][0-9]*\\.?[0-9]*|[0-9]*\\.[0-9]*[1-9][0-9]*)${unit}`;
const duration = `\\+?(?:${part})*${partAboveZero}(?:${part})*`;
const durationOrZero = `(?:[+-]?0|\\+?(?:${part})+|-(?:${zeroPart})+)`;

/** No control characters but the tab. */
const plain = '\\x00-\\x08\\x0A-\\x1F\\x7F';
const segment = "[a-zA-Z0-9\\-._~%!$&'()+,;:@=]*";
const template = `/(?:(?:\\{\\*\\}|${segment})/)*(?:\\{\\*\\}|${segment}|\\{\\*\\*\\}(?:/${segment})*)`;
const statusOrCondition = `(?:${retryConditions.join('|')}|[1-5][0-9]{2})`;

/**
 * What an API server checks of each format. It refuses no text that the compiler takes; what it cannot say, such as the
 * number of groups of an IPv6 address, is left to the compiler.
 */
export const textPatterns: Readonly<Record<string, TextPattern>> = {
  'destination-host': { pattern: whole(`${wildcard}|${host}`), maxLength: 256 },
  'dns-label': { pattern: whole(label), maxLength: 63 },
  'dns-subdomain': { pattern: whole(`${label}(?:\\.${label})*`), maxLength: 253 },
  duration: { pattern: whole(duration) },
  'duration-or-zero': { pattern: whole(durationOrZero) },
  'egress-host': { pattern: whole(`(?:[*.~]|${label})/${anyHost}`), maxLength: 320 },
  'entry-protocol': {
    pattern: whole(
      anyCase('HTTP HTTPS HTTP2 HTTP_PROXY GRPC GRPC-WEB MONGO MYSQL REDIS TCP TLS UDP THRIFT'.split(' '), true),
    ),
    maxLength: 10,
  },
  'export-to': { pattern: whole(`[*.]|${label}`), maxLength: 63 },
  'gateway-host': {
    pattern: whole(`(?:(?:[*.]|${label})/)?(?:\\*|${wildcard}|${hostLabel}\\.${host})|${address}`),
    maxLength: 320,
  },
  'gateway-protocol': {
    pattern: whole(anyCase('HTTP HTTPS HTTP2 GRPC GRPC-WEB MONGO MYSQL REDIS TCP TLS'.split(' '))),
    maxLength: 8,
  },
  'gateway-reference': { pattern: whole(`${label}|${host}|(?:\\.|${label})/${label}`), maxLength: 256 },
  'header-name': { pattern: whole("[!#$%&'*+\\-.^_`|~0-9A-Za-z]+") },
  'header-value': {
    pattern: whole(`(?:[^%${plain}]|%%|%[A-Z_0-9]+(?:\\([^)${plain}]*\\))?(?::[0-9]+)?%)*`),
  },
  'host-or-address': { pattern: whole(`${anyHost}|${address}`), maxLength: 256 },
  'http-uri': { pattern: '^https?://[^/?#]' },
  'ingress-endpoint': {
    pattern: whole(`(?:127\\.0\\.0\\.1|\\[::1\\]|0\\.0\\.0\\.0|\\[::\\]|):${port}`),
    maxLength: 15,
  },
  'ip-address': { pattern: whole(address), maxLength: 45 },
  'ip-block': { pattern: whole(block), maxLength: 49 },
  jwks: { pattern: '^[ \\t\\r\\n]*\\{' },
  'label-value': { pattern: whole(labelValue), maxLength: 63 },
  'path-template': { pattern: whole(`[^{}]*|${template}`) },
  'port-text': { pattern: whole(`0|${port}`) },
  'retry-on': { pattern: whole(`(?:${statusOrCondition}(?:,${statusOrCondition})*)?`) },
  'selector-value': { pattern: whole(labelValue), maxLength: 63 },
  'service-account': { pattern: whole('[^/*]+(?:/[^/*]+)?'), maxLength: 320 },
  'service-export-to': { pattern: whole(`[*.~]|${label}`), maxLength: 63 },
  'subset-name': { pattern: whole(label), maxLength: 63 },
  'token-prefix': { pattern: whole(`[^${plain}]*`) },
  'trust-domain-pattern': { pattern: whole('\\*|\\*?[a-zA-Z0-9._-]{1,255}|[a-zA-Z0-9._-]{1,255}\\*'), maxLength: 256 },
  'whole-seconds': { pattern: whole(durationOrZero) },
  'wildcard-host': { pattern: whole(anyHost), maxLength: 256 },
};

/** What is checked of the keys of a map, by the format of their names. */
export const keyPatterns: Readonly<Record<string, string>> = {
  'label-key': whole(`(?:${label}(?:\\.${label})*/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`),
  'port-key': whole(port),
};

/** A value with a star at one end at most, or a star alone. */
export const starAtOneEnd: string = whole('\\*|\\*[^*]+|[^*]+\\*?');

/** A path or a template of one, without a query and a fragment. */
export const requestPath: string = whole(`[/*][^{}?#]*|${template}`);

function whole(pattern: string): string {
  return `^(?:${pattern})$`;
}

/** RE2 has a flag for it, which expressions of JavaScript do not have everywhere. */
function anyCase(words: readonly string[], orEmpty = false): string {
  const spelled = words.map((word) => word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`));
  return spelled.join('|') + (orEmpty ? '|' : '');
}

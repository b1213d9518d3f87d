import { isLabelKey, isLabelValue, selectorFault } from './labels.ts';
import {
  isDestinationHost,
  isDnsLabel,
  isDnsSubdomain,
  isEgressHost,
  isGatewayHost,
  isGatewayReference,
  isHostName,
  isIpBlock,
  isWildcardHost,
} from './names.ts';
import {
  isDecider,
  isDurationText,
  isEntryProtocol,
  isFreeOfControls,
  isGatewayProtocol,
  isHeaderName,
  isHeaderValue,
  isHttpUri,
  isIngressEndpoint,
  isJsonWebKeySet,
  isOneLine,
  isPathTemplate,
  isPort,
  isRetryOn,
  isServiceAccount,
  isTimestamp,
  isTrustDomainPattern,
} from './texts.ts';

/** Codes of texts that are not in their format; each message has the holes `field`, `value` and `expected`. */
export type FormatCode =
  | 'invalid-duration'
  | 'invalid-egress-host'
  | 'invalid-export-to'
  | 'invalid-gateway-host'
  | 'invalid-gateway-reference'
  | 'invalid-header-name'
  | 'invalid-header-value'
  | 'invalid-host-name'
  | 'invalid-ingress-endpoint'
  | 'invalid-ip-block'
  | 'invalid-jwks'
  | 'invalid-label'
  | 'invalid-name'
  | 'invalid-path-template'
  | 'invalid-port'
  | 'invalid-service-account'
  | 'invalid-subset-name'
  | 'invalid-timestamp'
  | 'invalid-trust-domain-pattern'
  | 'invalid-uri'
  | 'unknown-protocol'
  | 'unknown-retry-condition'
  | 'wildcard-in-selector';

/** A `format` of the schemas: the fault that a text has, or undefined, and what was expected in words. */
export interface TextFormat {
  readonly expected: string;
  faultOf(text: string): FormatCode | undefined;
}

/** Every `format` that the schemas use. Their names are ours: editors skip those that they do not know. */
export const formats: Readonly<Record<string, TextFormat>> = {
  decider: one(
    'invalid-name',
    'KIND NAMESPACE/NAME and optionally a field, such as "AuthorizationPolicy shop/deny spec.rules[0]"',
    isDecider,
  ),
  'destination-host': one('invalid-host-name', 'a service name or a fully qualified host name', isDestinationHost),
  'dns-label': one('invalid-name', 'lower-case letters, digits and "-", at most 63', isDnsLabel),
  'dns-subdomain': one('invalid-name', 'lower-case letters, digits, "-" and ".", at most 253', isDnsSubdomain),
  duration: one(
    'invalid-duration',
    'a duration such as "5s", at least 1ms and in whole milliseconds',
    isDurationText({ leastMs: 1, stepMs: 1 }),
  ),
  'duration-or-zero': one(
    'invalid-duration',
    'a duration such as "5s", or "0s", in whole milliseconds',
    isDurationText({ leastMs: 0, stepMs: 1 }),
  ),
  'egress-host': one(
    'invalid-egress-host',
    'namespace/host, such as "./*", "shop/*.example.com" or "~/*"',
    isEgressHost,
  ),
  'export-to': one(
    'invalid-export-to',
    '".", "*" or the name of a namespace',
    (text) => text === '.' || text === '*' || isDnsLabel(text),
  ),
  'entry-protocol': one(
    'unknown-protocol',
    'HTTP, HTTPS, HTTP2, GRPC, GRPC-WEB, MONGO, MYSQL, REDIS, TCP, TLS or UDP',
    isEntryProtocol,
  ),
  'gateway-host': one('invalid-gateway-host', '"*", a full host name, or namespace/host', isGatewayHost),
  'gateway-protocol': one(
    'unknown-protocol',
    'HTTP, HTTPS, HTTP2, GRPC, GRPC-WEB, MONGO, MYSQL, REDIS, TCP or TLS',
    isGatewayProtocol,
  ),
  'gateway-reference': one('invalid-gateway-reference', '"mesh", a name, or namespace/name', isGatewayReference),
  'header-name': one('invalid-header-name', "letters, digits and !#$%&'*+-.^_`|~", isHeaderName),
  'header-value': one('invalid-header-value', 'no control characters, and "%" as "%%" or a %COMMAND%', isHeaderValue),
  host: one('invalid-host-name', 'a host name', isHostName),
  'host-or-address': one(
    'invalid-host-name',
    'a host name, a wildcard such as "*.example.com", or an IP address',
    (text) => isWildcardHost(text) || (isIpBlock(text) && !text.includes('/')),
  ),
  'http-uri': one('invalid-uri', 'an http or https URI', isHttpUri),
  'ingress-endpoint': one(
    'invalid-ingress-endpoint',
    '127.0.0.1:PORT or [::1]:PORT, or :PORT, 0.0.0.0:PORT or [::]:PORT (Unix sockets are not supported)',
    isIngressEndpoint,
  ),
  'ip-address': one('invalid-ip-block', 'an IP address', (text) => isIpBlock(text) && !text.includes('/')),
  'ip-block': one('invalid-ip-block', 'an IP address or a CIDR block', isIpBlock),
  jwks: one('invalid-jwks', 'a JSON Web Key Set with a key', isJsonWebKeySet),
  'label-key': one('invalid-label', 'a name of at most 63 characters, with an optional DNS prefix and "/"', isLabelKey),
  'label-value': one('invalid-label', 'at most 63 letters, digits, "-", "_" and "."', isLabelValue),
  'path-template': one(
    'invalid-path-template',
    '{*} and {**} as whole segments, {**} as the last of them, and beside them no other braces and no plain "*"',
    isPathTemplate,
  ),
  'port-key': one('invalid-port', 'a container port from 1 to 65535', (text) => isPort(text, 1)),
  'port-text': one('invalid-port', 'a port from 0 to 65535', (text) => isPort(text, 0)),
  'request-host': one('invalid-host-name', 'no line breaks and no NUL', isOneLine),
  'request-method': one('invalid-name', 'letters, digits and signs of a method, and no space', isHeaderName),
  'request-path': one('invalid-uri', 'no line breaks and no NUL', isOneLine),
  'request-value': one('invalid-header-value', 'no line breaks and no NUL', isOneLine),
  'retry-on': one(
    'unknown-retry-condition',
    'retry conditions of Envoy, such as "connect-failure,gateway-error", with commas and no spaces',
    isRetryOn,
  ),
  'selector-key': {
    expected: 'a label key without wildcards',
    faultOf: (text) => selectorFault(text, isLabelKey),
  },
  'selector-value': {
    expected: 'the value of a label, without wildcards',
    faultOf: (text) => selectorFault(text, isLabelValue),
  },
  'service-account': one(
    'invalid-service-account',
    'a service account or namespace/service account, without wildcards',
    isServiceAccount,
  ),
  'service-export-to': one(
    'invalid-export-to',
    '".", "*", "~" or the name of a namespace',
    (text) => text === '.' || text === '*' || text === '~' || isDnsLabel(text),
  ),
  'subset-name': one('invalid-subset-name', 'lower-case letters, digits and "-", at most 63', isDnsLabel),
  timestamp: one('invalid-timestamp', 'a time such as "2026-01-31T12:00:00Z"', isTimestamp),
  'token-prefix': one('invalid-header-value', 'no control characters', isFreeOfControls),
  'trust-domain-pattern': one(
    'invalid-trust-domain-pattern',
    'a trust domain with at most one "*", at its beginning or end',
    isTrustDomainPattern,
  ),
  'whole-seconds': one(
    'invalid-duration',
    'a duration in whole seconds, such as "24h"',
    isDurationText({ leastMs: 0, stepMs: 1000 }),
  ),
  'wildcard-host': one('invalid-host-name', 'a host name, or a wildcard such as "*.example.com"', isWildcardHost),
};

/** True when a text has the named format: what the generated validators ask. */
export function holdsFormat(format: string, text: string): boolean {
  return formats[format]?.faultOf(text) === undefined;
}

function one(code: FormatCode, expected: string, holds: (text: string) => boolean): TextFormat {
  return { expected, faultOf: (text) => (holds(text) ? undefined : code) };
}

import ipaddr from 'ipaddr.js';
import { RE2JS } from 're2js';
import { templateFault } from './path-template.ts';
import type { Rule } from './rules.ts';

/** What Envoy asks of a string when it loads it, beyond its type and rules; by the field's full name. */
export function valueFormat(fieldName: string): Rule<string> | undefined {
  return formats[fieldName];
}

const formats: Readonly<Record<string, Rule<string>>> = {
  'envoy.type.matcher.v3.RegexMatcher.regex': regexFault,
  'xds.type.matcher.v3.RegexMatcher.regex': regexFault,
  'envoy.config.metrics.v3.TagSpecifier.regex': tagRegexFault,
  'envoy.config.core.v3.CidrRange.address_prefix': addressFault,
  'xds.core.v3.CidrRange.address_prefix': addressFault,
  'envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig.path_template': templateFault,
};

/** Envoy reads custom tags with C++'s std::regex, whose ECMAScript has neither lookbehind nor names. */
function tagRegexFault(pattern: string): string | undefined {
  if (/\(\?[<P]/.test(pattern)) return 'has a group that C++ regular expressions do not know';
  try {
    new RegExp(pattern);
    return undefined;
  } catch {
    return 'is not a regular expression of ECMAScript';
  }
}

// Compiling costs about 0.1 ms, and configurations repeat their patterns.
const verdicts = new Map<string, string | undefined>();
const mostVerdicts = 10_000;

function regexFault(pattern: string): string | undefined {
  if (verdicts.has(pattern)) return verdicts.get(pattern);
  const fault = compileFault(pattern);
  if (verdicts.size >= mostVerdicts) verdicts.clear();
  verdicts.set(pattern, fault);
  return fault;
}

function compileFault(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `is not a regular expression of RE2: ${(error as Error).message}`;
  }
}

function addressFault(text: string): string | undefined {
  // ipaddr.js also reads forms such as "10.1", which Envoy does not.
  const isAddress = ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);
  return isAddress ? undefined : `found "${text}", expected an IP address`;
}

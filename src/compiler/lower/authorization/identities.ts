import type { PrincipalIR } from '../../ir/rbac.ts';
import { allOf, someOf } from './combine.ts';
import { type Pattern, patternOf, quoteRegex, type Sense } from './pattern.ts';

type Kind = Exclude<Pattern['kind'], 'any'> | 'contains' | 'regex';

const scheme = 'spiffe://';

function identity(kind: Kind, value: string): PrincipalIR {
  return { kind: 'identity', match: { kind, value } };
}

/** Any client with an identity; where that takes access away, with any verified certificate. */
function anyIdentity(sense: Sense): PrincipalIR {
  return sense === 'takes' ? { kind: 'identity', match: 'present' } : identity('prefix', scheme);
}

/**
 * `<trust domain>/ns/<namespace>/sa/<service account>`, or a pattern of it. A domain of the mesh, and `cluster.local`,
 * stands for every domain that the mesh trusts; so does a pattern that a domain of the mesh matches.
 */
export function principalMatch(value: string, sense: Sense, trustDomains: readonly string[]): PrincipalIR {
  const pattern = patternOf(value);
  if (pattern.kind === 'any') return anyIdentity(sense);
  const { kind, text } = pattern;
  const slash = text.indexOf('/');
  if (kind === 'suffix') {
    const rest = text.slice(slash);
    const isOfDomain = slash > 0 && rest.startsWith('/ns/');
    const others = isOfDomain ? otherNames((domain) => domain.endsWith(text.slice(0, slash)), trustDomains) : [];
    return someOf([identity(kind, text), ...others.map((domain) => identity('exact', scheme + domain + rest))]);
  }
  if (slash < 0 && kind === 'prefix') return domainPrefix(text, trustDomains);
  return someOf(inEveryDomain(text, trustDomains).map((each) => identity(kind, `${scheme}${each}`)));
}

/** Names of the mesh's trust domain that a pattern misses, where it matches another of them: all are one domain. */
function otherNames(isMet: (domain: string) => boolean, trustDomains: readonly string[]): readonly string[] {
  return trustDomains.some(isMet) ? trustDomains.filter((domain) => !isMet(domain)) : [];
}

/** Identities of trust domains that begin with the text, and of the mesh's whole where one of its names does. */
function domainPrefix(text: string, trustDomains: readonly string[]): PrincipalIR {
  const others = otherNames((domain) => domain.startsWith(text), trustDomains);
  return someOf([text, ...others.map((domain) => `${domain}/`)].map((start) => identity('prefix', scheme + start)));
}

/** The domain that a principal names, when it names one that the mesh does not trust. */
function foreignDomain(value: string, trustDomains: readonly string[]): string | undefined {
  const slash = value.indexOf('/');
  if (value.startsWith('*') || slash < 0) return undefined;
  const domain = value.slice(0, slash);
  return domain === 'cluster.local' || trustDomains.includes(domain) ? undefined : domain;
}

function inEveryDomain(text: string, trustDomains: readonly string[]): readonly string[] {
  const slash = text.indexOf('/');
  if (slash < 0 || foreignDomain(text, trustDomains) !== undefined) return [text];
  return trustDomains.map((domain) => domain + text.slice(slash));
}

/** Where a match takes access away it holds in foreign domains too: they connect when their check is switched off. */
export function namespaceMatch(value: string, sense: Sense, trustDomains: readonly string[]): PrincipalIR {
  const pattern = patternOf(value);
  if (pattern.kind === 'any') return anyIdentity(sense);
  // A namespace holds no slash, and in an identity `/sa/` follows it and nothing else.
  if (pattern.kind === 'suffix') {
    const named = identity('contains', `${pattern.text}/sa/`);
    if (sense === 'takes') return named;
    const inMesh = trustDomains.map((domain) => identity('prefix', `${scheme}${domain}/ns/`));
    return allOf([someOf(inMesh), named]);
  }
  const rest = `/ns/${pattern.text}${pattern.kind === 'exact' ? '/' : ''}`;
  if (sense === 'takes') return identity('contains', rest);
  return someOf(trustDomains.map((domain) => identity('prefix', `${scheme}${domain}${rest}`)));
}

/** `<account>` in the policy's namespace, or `<namespace>/<account>`. */
export function serviceAccountMatch(
  value: string,
  sense: Sense,
  trustDomains: readonly string[],
  policyNamespace: string,
): PrincipalIR {
  const [account = '', namespace = policyNamespace] = value.split('/').reverse();
  const rest = `/ns/${namespace}/sa/${account}`;
  if (sense === 'takes') return identity('suffix', rest);
  return someOf(trustDomains.map((domain) => identity('exact', `${scheme}${domain}${rest}`)));
}

/** One of the mesh's own, or a pattern that one matches, stands for all of them, as in principals. */
export function trustDomainMatch(value: string, sense: Sense, trustDomains: readonly string[]): PrincipalIR {
  const pattern = patternOf(value);
  if (pattern.kind === 'any') return anyIdentity(sense);
  if (pattern.kind === 'suffix') {
    const others = otherNames((domain) => domain.endsWith(pattern.text), trustDomains);
    // In an identity of the mesh `/ns/` follows the trust domain and nothing else.
    const named =
      sense === 'takes'
        ? identity('contains', `${pattern.text}/ns/`)
        : identity('regex', `${scheme}[^/]*${quoteRegex(pattern.text)}/ns/.*`);
    return someOf([named, ...others.map((domain) => identity('prefix', `${scheme}${domain}/`))]);
  }
  if (pattern.kind === 'prefix') return domainPrefix(pattern.text, trustDomains);
  return someOf(inEveryDomain(`${pattern.text}/`, trustDomains).map((text) => identity('prefix', `${scheme}${text}`)));
}

import type { ClaimMatchIR, HeaderMatchIR, MetadataMatchIR, TokenPartIR } from '../ir/rbac.ts';
import type { StringMatchIR } from '../ir/string-match.ts';

const tokenFilter = 'envoy.filters.http.jwt_authn';

/** Envoy's StringMatcher. */
export function stringMatcher({ kind, value, ignoreCase = false }: StringMatchIR): object {
  if (kind === 'regex') return { safe_regex: { regex: value } };
  return { [kind]: value, ...(ignoreCase ? { ignore_case: true } : {}) };
}

/** Envoy's HeaderMatcher: any of several lines of the name may match. */
export function headerMatcher({ name, match }: HeaderMatchIR): object {
  return match === 'present' ? { name, present_match: true } : { name, string_match: stringMatcher(match) };
}

/** Envoy's MetadataMatcher over the claims that the token filter left: `payload` is the key that all providers share. */
export function claimMatcher({ path, match, inList }: ClaimMatchIR): object {
  const text = { string_match: stringMatcher(match) };
  const value = inList ? { or_match: { value_matchers: [{ list_match: { one_of: text } }, text] } } : text;
  return metadataMatcher(tokenFilter, ['payload', ...path], value);
}

/** The same over a part of the token that is no text. */
export function tokenPartMatcher({ path, match }: TokenPartIR): object {
  const value =
    match === 'present'
      ? { present_match: true }
      : { double_match: { range: { start: match.from, end: match.below } } };
  return metadataMatcher(tokenFilter, path, value);
}

/** Envoy's MetadataMatcher over what another filter left. */
export function filterMetadataMatcher({ filter, path, match, inList }: MetadataMatchIR): object {
  const text = { string_match: stringMatcher(match) };
  return metadataMatcher(filter, path, inList ? { list_match: { one_of: text } } : text);
}

function metadataMatcher(filter: string, path: readonly string[], value: object): object {
  return { filter, path: path.map((key) => ({ key })), value };
}

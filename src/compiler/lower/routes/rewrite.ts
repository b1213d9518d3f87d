import type { HttpRoute } from '../../../policy/virtual-service.ts';
import type { PathRewriteIR } from '../../ir/route.ts';
import type { PathMatchIR } from '../../ir/route-match.ts';
import { quoteRegex } from '../authorization/pattern.ts';

/** The path rewrite of a route, or undefined if the route has none. */
export function pathRewrite(rewrite: HttpRoute['rewrite'], matched: PathMatchIR): PathRewriteIR | undefined {
  const { uri, uriRegexRewrite } = rewrite ?? {};
  if (uriRegexRewrite !== undefined) {
    return { kind: 'regex', pattern: uriRegexRewrite.match, substitution: uriRegexRewrite.rewrite };
  }
  if (uri === undefined) return undefined;
  return matched.kind === 'prefix' ? prefixRewrite(uri, matched) : { kind: 'whole', path: uri };
}

/**
 * As an expression, since Envoy's prefix rewrite of `/p` to `/` makes `//a` of `/p/a`, and that of `/` to `/v2` makes `/v2a`
 * of `/a`: where the prefix or its replacement ends with a slash, one slash stands between replacement and rest.
 */
function prefixRewrite(uri: string, { value, ignoreCase }: PathMatchIR): PathRewriteIR {
  const isJoinedBySlash = value.endsWith('/') || uri.endsWith('/');
  const prefix = quoteRegex(isJoinedBySlash ? withoutSlash(value) : value);
  const substitution = quoteSubstitution(isJoinedBySlash ? `${withoutSlash(uri)}/` : uri);
  return {
    kind: 'regex',
    pattern: `${ignoreCase ? '(?i)' : ''}^${prefix}${isJoinedBySlash ? '/?' : ''}(.*)$`,
    substitution: `${substitution}\\1`,
  };
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A backslash begins the number of a group. */
function quoteSubstitution(text: string): string {
  return text.replaceAll('\\', '\\\\');
}

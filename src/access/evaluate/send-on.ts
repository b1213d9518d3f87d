import { RE2JS } from 're2js';
import type { AddedHeader, HeaderChanges } from '../lift/header-changes.ts';
import type { PathRewrite, RouteAction, RouteTarget } from '../lift/route-action.ts';
import { byteText } from '../model/bytes.ts';
import { splitQuery } from '../model/normalize-path.ts';
import type { StringMatch } from '../model/string-match.ts';
import type { FoundRoute } from './find-route.ts';
import type { RequestView } from './request-view.ts';

type Forward = RouteAction & { readonly kind: 'forward' };

/** Changes a request as its route and the cluster that was chosen say (Envoy's RouteEntryImpl::finalizeRequestHeaders). */
export function sendOn(
  view: RequestView,
  { table, host, route }: FoundRoute & { readonly kind: 'route' },
  action: Forward,
  target: RouteTarget,
  tells: boolean,
): void {
  const { headers } = view;
  const changes = [table.headers, route.headers];
  if (host.countsAttempts) headers.set('x-envoy-attempt-count', '1');
  // Those of one cluster of several come first, so that the others win over them, whichever of these wins.
  changeHeaders(view, target.headers);
  for (const change of table.specificWins ? changes : changes.reverse()) changeHeaders(view, change);
  if (target.authority !== undefined) view.authority = byteText(target.authority);
  if (action.authority !== undefined) {
    if (tells) headers.set('x-envoy-original-host', view.authority);
    view.authority = byteText(action.authority);
  }
  if (action.path === undefined) return;
  if (tells) headers.set('x-envoy-original-path', view.path);
  view.path = rewritten(view.path, route.match.path, action.path);
}

/** What is removed goes first. A value that only the proxy knows is there, and unknown. */
function changeHeaders(view: RequestView, { removed, added }: HeaderChanges): void {
  for (const name of removed) view.headers.delete(name);
  for (const header of added) addHeader(view, header);
}

function addHeader(view: RequestView, { name, value, mayBeEmpty, action }: AddedHeader): void {
  const { headers } = view;
  // Unknown lines stay unknown, whatever is done with them.
  if (!headers.isTold(name) && action !== 'overwrite') return;
  const isThere = headers.has(name);
  if ((action === 'if-absent' && isThere) || (action === 'if-there' && !isThere)) return;
  if (value === undefined) view.setOpaque(name);
  if (mayBeEmpty) return;
  const text = byteText(value ?? '');
  if (action === 'append') headers.add(name, text);
  else headers.set(name, text);
}

function rewritten(path: string, match: StringMatch, rewrite: PathRewrite): string {
  const [bare, query] = splitQuery(path);
  if (rewrite.kind === 'regex') return substituted(bare, rewrite.pattern, rewrite.substitution) + query;
  const matched = match.kind === 'prefix' ? match.value.length : bare.length;
  return byteText(rewrite.to) + bare.slice(matched) + query;
}

/** Every place that the expression finds; `\1` is its first group. */
function substituted(text: string, pattern: string, substitution: string): string {
  const matcher = RE2JS.compile(byteText(pattern)).matcher(text);
  let out = '';
  let from = 0;
  while (matcher.find()) {
    out += text.slice(from, matcher.start());
    out += byteText(substitution).replaceAll(/\\(\d|\\)/g, (_, what: string) =>
      what === '\\' ? '\\' : (matcher.group(Number(what)) ?? ''),
    );
    from = matcher.end();
  }
  return out + text.slice(from);
}

import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** Browsers send scheme, host and port of a page, without a path, and without a port that the scheme implies (RFC 6454). */
export const rule: Rule = {
  code: 'origin-of-no-page',
  id: 'MP641',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an allowed origin that no browser sends',
  why: 'no page has this origin, so browsers refuse the response to the pages that are meant',
  hint: 'write scheme and host, and the port if it is not the usual one: "https://shop.example.com"',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      const { allowOrigins = [], allowOrigin = [] } = route.corsPolicy ?? {};
      const exact = [
        ...allowOrigins.map(({ exact: text }, i) => ({ text, at: ['allowOrigins', i, 'exact'] })),
        ...allowOrigin.map((text, i) => ({ text, at: ['allowOrigin', i] })),
      ];
      for (const { text, at } of exact) {
        const fault = text === undefined ? undefined : faultOf(text);
        if (fault === undefined) continue;
        report({
          object,
          path: [...path, 'corsPolicy', ...at],
          message: `no page has the origin "${text}": ${fault.reason}`,
          hint: fault.hint,
        });
      }
      for (const [i, { prefix }] of allowOrigins.entries()) {
        if (prefix === undefined || !prefix.includes('*')) continue;
        const message = `no page has an origin that begins with "${prefix}": the star is an ordinary character`;
        const at = ['corsPolicy', 'allowOrigins', i, 'prefix'];
        report({ object, path: [...path, ...at], message, hint: `write regex: '${expressionOf(prefix)}.*'` });
      }
    }
  },
};

/** What is wrong with an exact origin, and what to write in its place; `*` and `null` are origins that clients may have. */
function faultOf(text: string): { readonly reason: string; readonly hint: string } | undefined {
  if (text === '*' || text === 'null') return undefined;
  if (text.includes('*'))
    return { reason: 'the star is an ordinary character', hint: `write regex: '${expressionOf(text)}'` };
  const [, scheme, host = '', port, rest = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)?([^/:]*|\[[^\]]*\])(:\d+)?(\/.*)?$/i.exec(text) ?? [];
  if (scheme === undefined)
    return {
      reason: 'it has no scheme',
      hint: `write "${/^(localhost|127\.)/.test(host) ? 'http' : 'https'}://${host}${port ?? ''}"`,
    };
  const isUsual =
    `${scheme.toLowerCase()}${port}` === 'https://:443' || `${scheme.toLowerCase()}${port}` === 'http://:80';
  const meant = `write "${scheme}${host}${isUsual ? '' : (port ?? '')}"`;
  if (rest !== '') return { reason: `an origin ends before "${rest}"`, hint: meant };
  return isUsual ? { reason: `browsers leave out the port ${port?.slice(1)} of ${scheme}`, hint: meant } : undefined;
}

/** An expression for the hosts that stars are to stand for; without a scheme, that of both. */
function expressionOf(text: string): string {
  const [scheme, host] = text.includes('://') ? text.split('://', 2) : ['https?', text];
  return `${scheme?.replaceAll('*', '[a-z]*')}://${host?.replaceAll('.', '\\.').replaceAll(/\*+/g, '[^/]+')}`;
}

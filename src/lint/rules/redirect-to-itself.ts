import type { HttpMatch, HttpRoute, StringMatch } from '../../policy/virtual-service.ts';
import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** The answer sends the client to where it was. */
export const rule: Rule = {
  code: 'redirect-to-itself',
  id: 'MP633',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a redirect to a place that the same route matches',
  why: 'clients follow it in a circle until they give up',
  hint: 'redirect to a path, a host or a scheme that the route does not match',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      const uri = targetOf(route, object.spec.hosts ?? []);
      if (uri === undefined || !(route.match ?? [{}]).some((match) => takes(match, uri))) continue;
      // An earlier route may answer the second request.
      const earlier = (object.spec.http ?? []).slice(0, Number(path.at(-1)));
      if (earlier.some(({ match = [{}] }) => match.some((it) => mayTake(it, uri)))) continue;
      const message = `the redirect to "${uri}" leads to the same host, and this route matches it again`;
      report({ object, path: [...path, 'redirect'], part: 'key', message });
    }
  },
};

/** The path of a redirect that changes nothing but the path, and the host to one of the same hosts. */
function targetOf({ redirect }: HttpRoute, hosts: readonly string[]): string | undefined {
  if (redirect === undefined) return undefined;
  const { uri, authority, scheme, port, derivePort } = redirect;
  const isSameHost = !authority || hosts.includes(authority);
  return uri?.startsWith('/') && isSameHost && !scheme && port === undefined && derivePort === undefined
    ? uri
    : undefined;
}

/** Whether a match asks for the path alone, and this one fulfils it. */
function takes(match: HttpMatch, uri: string): boolean {
  const { name: _name, uri: wanted, gateways: _gateways, statPrefix: _stat, ignoreUriCase, ...others } = match;
  return Object.keys(others).length === 0 && (wanted === undefined || fulfils(wanted, uri, ignoreUriCase === true));
}

function mayTake({ uri: wanted, ignoreUriCase }: HttpMatch, uri: string): boolean {
  return wanted === undefined || wanted.regex !== undefined || fulfils(wanted, uri, ignoreUriCase === true);
}

function fulfils({ exact, prefix }: StringMatch, uri: string, ignoresCase: boolean): boolean {
  const of = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const path = of(uri.replace(/[?#].*$/, ''));
  if (exact !== undefined) return path === of(exact);
  return prefix !== undefined && path.startsWith(of(prefix));
}

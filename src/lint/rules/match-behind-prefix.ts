import type { HttpMatch } from '../../policy/virtual-service.ts';
import type { Rule } from '../rule.ts';

/** The first route that matches takes the request, however much longer the prefix of a later one is. */
export const rule: Rule = {
  code: 'match-behind-prefix',
  id: 'MP642',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a match of a path behind a route that takes every path with the same beginning',
  why: 'routes are tried in their order, so the earlier route takes these requests, and this match is never reached',
  hint: 'move the route with the longer path before the other one',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.virtualServices) {
      const earlier = new Prefixes();
      for (const [i, { match = [], delegate }] of (object.spec.http ?? []).entries()) {
        for (const [j, entry] of match.entries()) {
          const first = earlier.around(entry);
          const kind = entry.uri?.exact === undefined ? 'prefix' : 'exact';
          if (first === undefined) continue;
          report({
            ...{ object, path: ['spec', 'http', i, 'match', j, 'uri', kind] },
            message: `"${entry.uri?.[kind]}" is never reached: route ${first.route} takes every path that begins with "${first.prefix}" (routes are counted from 0)`,
            hint: `move this route before route ${first.route}`,
            related: [
              {
                ...{ object, path: ['spec', 'http', first.route, 'match', first.match, 'uri', 'prefix'] },
                message: 'the shorter prefix',
              },
            ],
          });
        }
        // A delegate's routes have conditions of their own.
        if (delegate === undefined) for (const [j, entry] of match.entries()) earlier.add(entry, i, j);
      }
    }
  },
};

/** Where a prefix was first written. */
interface Place {
  readonly prefix: string;
  readonly route: number;
  readonly match: number;
}

/** The prefixes of earlier routes, by the other conditions that a request must meet. */
class Prefixes {
  readonly #byConditions = new Map<string, Map<string, Place>>();

  add(entry: HttpMatch, route: number, match: number): void {
    const prefix = entry.uri?.prefix;
    if (prefix === undefined) return;
    const key = `${conditionsOf(entry)} ${entry.ignoreUriCase === true}`;
    const places = this.#byConditions.get(key) ?? new Map<string, Place>();
    this.#byConditions.set(key, places);
    const compared = entry.ignoreUriCase === true ? prefix.toLowerCase() : prefix;
    if (!places.has(compared)) places.set(compared, { prefix, route, match });
  }

  /** The shorter prefix of an earlier route that takes all that this match would: it asks for nothing more. */
  around(entry: HttpMatch): Place | undefined {
    const { exact, prefix } = entry.uri ?? {};
    const path = exact ?? prefix;
    if (path === undefined) return undefined;
    const own = conditionsOf(entry);
    for (const conditions of new Set([own, none])) {
      for (const ignoresCase of [true, false]) {
        // One that takes a path in any case is not within one that takes it in one.
        if (!ignoresCase && entry.ignoreUriCase === true) continue;
        const places = this.#byConditions.get(`${conditions} ${ignoresCase}`);
        const compared = ignoresCase ? path.toLowerCase() : path;
        // An equal match is told of as such, and so is one that takes everything.
        const longest = prefix !== undefined && conditions === own ? compared.length - 1 : compared.length;
        for (let length = conditions === none ? 2 : 0; places !== undefined && length <= longest; length++) {
          const place = places.get(compared.slice(0, length));
          if (place !== undefined) return place;
        }
      }
    }
    return undefined;
  }
}

/** Everything but the path, as one text. */
function conditionsOf({ name: _, statPrefix: __, uri: ___, ignoreUriCase: ____, ...rest }: HttpMatch): string {
  return JSON.stringify(rest, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

const none = conditionsOf({});

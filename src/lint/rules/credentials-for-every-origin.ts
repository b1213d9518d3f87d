import type { StringMatch } from '../../policy/virtual-service.ts';
import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** Envoy echoes the origin that matches: with credentials, pages of any site then act as their visitor. */
export const rule: Rule = {
  code: 'credentials-for-every-origin',
  id: 'MP612',
  severity: 'warning',
  category: 'routing',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a CORS policy that allows credentials for every origin',
  why: 'a page of any website can make requests with the credentials of the user who opened it, and can read the responses',
  hint: 'list the allowed origins, or remove "allowCredentials"',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      const { allowCredentials, allowOrigins = [], allowOrigin = [] } = route.corsPolicy ?? {};
      if (allowCredentials !== true) continue;
      const origins = [
        ...allowOrigins.flatMap((origin, i) =>
          Object.entries(origin).map(([kind, text]) => ({ kind, text: String(text), at: ['allowOrigins', i, kind] })),
        ),
        ...allowOrigin.map((text, i) => ({ kind: 'exact', text, at: ['allowOrigin', i] })),
      ];
      for (const { kind, text, at } of origins) {
        if (!isOpen(kind as keyof StringMatch, text)) continue;
        const message = `"${text}" lets pages of every site make requests with the credentials of their visitor`;
        report({ object, path: [...path, 'corsPolicy', ...at], message });
      }
    }
  },
};

/** Whether about every origin (RFC 6454: scheme, host, port) matches. */
function isOpen(kind: keyof StringMatch, text: string): boolean {
  switch (kind) {
    case 'exact':
      return text === '*';
    case 'prefix':
      return 'https://'.startsWith(text) || text === 'http://';
    default:
      return /^\^?(https\??:\/\/|http:\/\/|\(https\?\|http\):\/\/)?(\(\?:)?\.[*+]\)?\$?$/.test(text);
  }
}

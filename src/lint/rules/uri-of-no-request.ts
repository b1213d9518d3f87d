import type { Snapshot } from '../../compiler/snapshot.ts';
import type { PathNormalization } from '../../config/settings.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { StandardHttpRoute } from '../../policy/gateway-api.ts';
import type { MeshObject } from '../../policy/object.ts';
import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** Envoy normalizes the path of a request before it chooses a route, and compares the text of a match as it is written. */
export const rule: Rule = {
  code: 'uri-of-no-request',
  id: 'MP653',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['VirtualService', 'HTTPRoute'],
  needs: 'policies',
  since: '0.1.0',
  title: 'the path of a route match in a spelling that no request has',
  why: 'Envoy normalizes the paths of requests and compares the text of the match as it is, so the match takes no request, and requests go to a later route or get 404',
  hint: 'write the path as requests have it: letters, digits and "-._~" as they are, other characters percent-encoded',
  check({ snapshot, report }) {
    const { pathNormalization: level } = snapshot.settings;
    if (level === 'NONE') return;
    for (const { object, path, text } of writtenPaths(snapshot)) {
      const sent = sentPath(text, level);
      if (sent === text) continue;
      const message = `no request has the path "${text}", which routes see as "${sent}" under ${level}`;
      report({ object, path, message, hint: hintOf(text, sent) });
    }
  },
};

interface WrittenPath {
  readonly object: MeshObject<string>;
  readonly path: JsonPath;
  readonly text: string;
}

/** Paths that are compared as texts, where they are written. */
function* writtenPaths({ objects, policies }: Snapshot): Iterable<WrittenPath> {
  for (const { object, route, path } of httpRoutesOf(policies.virtualServices)) {
    // What is made of routes of the Gateway API stands in these.
    if (object.writtenAs !== undefined) continue;
    for (const [i, { uri }] of (route.match ?? []).entries()) {
      for (const field of ['exact', 'prefix'] as const) {
        const text = uri?.[field];
        if (text !== undefined) yield { object, path: [...path, 'match', i, 'uri', field], text };
      }
    }
  }
  for (const object of objects.filter(isHttpRoute)) {
    for (const [i, { matches = [] }] of object.spec.rules.entries()) {
      for (const [j, { path: { type, value } = {} }] of matches.entries()) {
        if (value === undefined || type === 'RegularExpression') continue;
        yield { object, path: ['spec', 'rules', i, 'matches', j, 'path', 'value'], text: value };
      }
    }
  }
}

function isHttpRoute(object: MeshObject<string>): object is StandardHttpRoute {
  return object.kind === 'HTTPRoute';
}

/** Braces look like the name of any segment, which only expressions can stand for. */
function hintOf(text: string, sent: string): string {
  const isTemplate = /\/\{[^/]+\}(\/|$)/.test(text);
  return isTemplate
    ? `write an expression for any segment; for the braces themselves write "${sent}"`
    : `write "${sent}"`;
}

/** Escaped forms of what Envoy leaves as it is (RFC 3986, section 2.3), and what it escapes or refuses. */
const respelled = /%[0-9A-Fa-f]{2}|[^!-~]|["<>\\^`{|}]/gu;

/** The path in the spelling that it has once Envoy has normalized it; dots and slashes in their places are left alone. */
function sentPath(text: string, level: Exclude<PathNormalization, 'NONE'>): string {
  return text.replaceAll(respelled, (part) => {
    if (part === '\\') return '/';
    if (part.length !== 3 || !part.startsWith('%')) return escaped(part);
    const character = String.fromCharCode(Number.parseInt(part.slice(1), 16));
    if (level === 'DECODE_AND_MERGE_SLASHES' && /[/\\]/.test(character)) return '/';
    return /[\w.~-]/.test(character) ? character : part;
  });
}

function escaped(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

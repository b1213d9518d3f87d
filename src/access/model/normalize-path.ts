/** What a connection manager changes in the path before anything reads it. */
export interface PathOptions {
  readonly normalizes: boolean;
  readonly mergesSlashes: boolean;
  /** What becomes of `%2F` and `%5C`. */
  readonly escapedSlashes: 'keep' | 'unescape' | 'redirect' | 'reject';
}

/** `redirect`: the client is sent to the path; else it goes on, or the request is answered 400. */
export type NormalizedPath =
  | { readonly kind: 'path' | 'redirect'; readonly path: string }
  | { readonly kind: 'bad-request' };

const bad: NormalizedPath = { kind: 'bad-request' };

/**
 * The path as matchers, routes and the application see it, query included (Envoy's
 * source/common/http/conn_manager_utility.cc and path_utility.cc). One character a byte.
 */
export function normalizePath(raw: string, { normalizes, mergesSlashes, escapedSlashes }: PathOptions): NormalizedPath {
  if (isSettled(raw)) return { kind: 'path', path: raw };
  if (raw.includes('#')) return bad;
  let [path, query] = splitQuery(raw);
  let kind: 'path' | 'redirect' = 'path';
  if (escapedSlashes !== 'keep') {
    const unescaped = path.replaceAll(/%2f/gi, '/').replaceAll(/%5c/gi, '\\');
    if (unescaped !== path && escapedSlashes === 'reject') return bad;
    if (unescaped !== path && escapedSlashes === 'redirect') kind = 'redirect';
    path = unescaped;
  }
  if (normalizes) {
    const canonical = canonicalPath(path);
    if (canonical === undefined) return bad;
    path = canonical;
  }
  if (mergesSlashes) path = mergeSlashes(path);
  return { kind, path: path + query };
}

/** A path of nothing but slashes keeps two of them: Envoy writes the first and the last anew. */
function mergeSlashes(path: string): string {
  if (!path.includes('//')) return path;
  return /^\/\/+$/.test(path) ? '//' : path.replaceAll(/\/\/+/g, '/');
}

/** The path without its query, and the query with its question mark. */
export function splitQuery(path: string): readonly [path: string, query: string] {
  const at = path.indexOf('?');
  return at === -1 ? [path, ''] : [path.slice(0, at), path.slice(at)];
}

/** Characters that stay as they are; `unescaped` ones are also written plainly where they come escaped. */
const unescaped = /[A-Za-z0-9._~-]/;
const plain = /[A-Za-z0-9._~!$&'()*+,/:;=@[\]-]/;

/**
 * Whether a path has only segments that are not empty and begin with no dot, and nothing that is escaped, unescaped or taken
 * for a slash: nothing becomes of it, and most paths are so.
 */
export function isSettled(path: string): boolean {
  let isAfterSlash = false;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    const isSlash = code === slash;
    if (isAfterSlash ? isSlash || code === dot : i === 0 && !isSlash) return false;
    if (code >= plainCodes.length || plainCodes[code] === 0) return false;
    isAfterSlash = isSlash;
  }
  return path !== '';
}

const slash = 0x2f;
const dot = 0x2e;
/** By the code of a character, whether it stays as it is. */
const plainCodes = Uint8Array.from({ length: 128 }, (_, code) => (plain.test(String.fromCharCode(code)) ? 1 : 0));

/** Undefined where the path has a NUL. The rules of the URL library that Envoy uses (googleurl's `CanonicalizePath`). */
function canonicalPath(raw: string): string | undefined {
  if (isSettled(raw)) return raw;
  // Parameters of a segment `.` or `..` are dropped first, where its slash and dots are written plainly.
  const path = raw.replaceAll(/\/(\.\.?);[^/]*/g, '/$1');
  let out = '';
  // A percent sign that begins no escape, by its place in the output.
  let percent = -1;
  for (let i = 0; i < path.length; ) {
    const character = path[i] ?? '';
    const dot = dotLength(path, i);
    if (dot > 0) {
      const relative = out.endsWith('/') ? classifyAfterDot(path, i + dot) : undefined;
      if (relative === undefined) out += '.';
      else if (relative.isUp) out = parentOf(out);
      i += dot + (relative?.consumed ?? 0);
    } else if (character === '\\') {
      out += '/';
      i++;
    } else if (character === '%') {
      const code = /^[0-9A-Fa-f]{2}/.exec(path.slice(i + 1))?.[0];
      if (code === '00') return undefined;
      const decoded = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
      if (code === undefined) percent = out.length;
      i += code === undefined ? 1 : 3;
      if (!unescaped.test(decoded)) out += `%${code ?? ''}`;
      else out = withoutNewEscape(out + decoded, percent, path[i] ?? '');
    } else {
      if (character === '\0') return undefined;
      out += plain.test(character) ? character : escaped(character);
      i++;
    }
  }
  return out;
}

/** What was unescaped last must not complete an escape with a percent sign before it: that sign is escaped instead. */
function withoutNewEscape(out: string, percent: number, next: string): string {
  if (percent === -1 || percent < out.length - 3) return out;
  const code = (out.slice(percent + 1) + next).slice(0, 2);
  return /^[0-9A-Fa-f]{2}$/.test(code) ? `${out.slice(0, percent)}%25${out.slice(percent + 1)}` : out;
}

/** How long a dot is here, written plainly or escaped; 0 where there is none. */
function dotLength(path: string, at: number): number {
  if (path[at] === '.') return 1;
  return path.slice(at, at + 3).toLowerCase() === '%2e' ? 3 : 0;
}

interface Relative {
  /** Whether the segment is `..`; else it is `.`. */
  readonly isUp: boolean;
  /** Characters after the first dot that belong to it, its slash included. */
  readonly consumed: number;
}

/** What a dot that begins a segment is; undefined where it begins a name. */
function classifyAfterDot(path: string, at: number): Relative | undefined {
  const end = segmentEnd(path, at);
  if (end !== undefined) return { isUp: false, consumed: end };
  const second = dotLength(path, at);
  if (second === 0) return undefined;
  const endAfter = segmentEnd(path, at + second);
  return endAfter === undefined ? undefined : { isUp: true, consumed: second + endAfter };
}

/** 0 at the end of the path, 1 at a slash; undefined elsewhere. */
function segmentEnd(path: string, at: number): number | undefined {
  if (at >= path.length) return 0;
  return path[at] === '/' || path[at] === '\\' ? 1 : undefined;
}

/** Up to the slash before the last segment; `out` ends with a slash. */
function parentOf(out: string): string {
  return out.slice(0, Math.max(out.lastIndexOf('/', out.length - 2), 0) + 1);
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

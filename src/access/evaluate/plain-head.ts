import { AsciiSet } from '../../lib/ascii-set.ts';
import { hasControl, hasOuterBlanks } from '../../lib/header-text.ts';
import { isSettled } from '../model/normalize-path.ts';
import type { HttpRequest } from '../request.ts';
import { internalHeaders } from './internal-headers.ts';
import { connectionHeaders } from './leave-connection.ts';

/** The usual methods: codecs have rules of their own for CONNECT, QUERY and unknown ones. */
const usualMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Lower case, and no underscore, about which a connection manager may have a rule. */
const ofName = new AsciiSet(/[!#$%&'*+\-.^`|~0-9a-z]/);
const ofAuthority = new AsciiSet(/[!$%&'()*+,\-.0-9:;=A-Z[\]_a-z~]/);
const digits = new AsciiSet(/\d/);
const ofQuery = new AsciiSet(/[!"$-~]/);

/** Headers that codecs and connection managers check or remove. */
const specialHeaders: ReadonlySet<string> = new Set([...connectionHeaders, ...internalHeaders]);

/**
 * Whether every codec and connection manager takes a head as it is, so long as it is not too large: nothing in it is refused,
 * removed or trimmed. Most requests are so, and need no check of their single parts.
 */
export function isPlainHead({ method, path, authority, headers, told }: HttpRequest): boolean {
  if (told !== undefined || !usualMethods.has(method) || !isPlainTarget(path)) return false;
  if (authority === '' || !ofAuthority.hasAll(authority)) return false;
  let hasLength = false;
  for (const line of headers) {
    const isLength = line[0] === 'content-length';
    if (isLength ? hasLength || !isPlainLength(line[1]) : !isPlainLine(line[0], line[1])) return false;
    hasLength ||= isLength;
  }
  return true;
}

function isPlainTarget(path: string): boolean {
  const query = path.indexOf('?');
  return query === -1 ? isSettled(path) : isSettled(path.slice(0, query)) && ofQuery.hasAll(path.slice(query));
}

/** Far below the greatest length of a body. */
function isPlainLength(value: string): boolean {
  return value.length > 0 && value.length < 16 && digits.hasAll(value);
}

function isPlainLine(name: string, value: string): boolean {
  return isPlainName(name) && !hasControl(value) && !hasOuterBlanks(value);
}

function isPlainName(name: string): boolean {
  if (plainNames.has(name)) return true;
  if (name === '' || !ofName.hasAll(name) || specialHeaders.has(name)) return false;
  // Clients and logs have any number of names, of any length.
  if (plainNames.size >= mostNames) plainNames.clear();
  if (name.length <= longestKept) plainNames.add(name);
  return true;
}

/** Most requests have the same few names. */
const plainNames = new Set<string>();
const mostNames = 1024;
const longestKept = 64;

import { lookup } from '../../lib/lookup.ts';
import { type AuthorizationPolicy, takesAccess } from '../../policy/authorization-policy.ts';
import type { Report } from '../rule.ts';
import { type ValueList, valueLists } from './value-lists.ts';

/** Why nothing ever matches a value, its stars at the ends taken off; undefined for one that something may match. */
type ReasonOf = (text: string, value: string) => string | undefined;

/**
 * Values that no request and no peer has: where a match takes access away, such a rule looks like protection and is none.
 * What Envoy refuses, changes or removes before it looks at rules was seen on the real one.
 */
export function checkImpossibleValues({ spec }: AuthorizationPolicy, report: Report): void {
  const { action = 'ALLOW', rules = [] } = spec;
  for (const [i, rule] of rules.entries()) {
    for (const list of valueLists(rule, ['spec', 'rules', i])) {
      if (takesAccess(action, list.isNegated)) checkList(list, report);
    }
  }
}

function checkList({ field, values, path }: ValueList, report: Report): void {
  const header = /^request\.headers\[(.+)\]$/.exec(field)?.[1]?.toLowerCase();
  const absent = header && absenceOf(header);
  if (header && absent) {
    report('match-never-holds', [...path.slice(0, -1), 'key'], { field: 'key', value: field, reason: absent });
    return;
  }
  const reasonOf = header === undefined ? lookup(reasons, field) : (lookup(headerReasons, header) ?? headerValue);
  for (const [i, value] of values.entries()) {
    const reason = reasonOf?.(value.replace(/^\*|(?<=.)\*$/g, ''), value);
    if (reason === undefined) continue;
    const holes = { field: `${String(path.at(-1))}[${i}]`, value, reason };
    report('match-never-holds', [...path, i], holes, { hint: hintOfUrl(reasonOf, value) ?? hintBeside(values) });
  }
}

/** Without its only value a condition is none, and the rule denies more. */
function hintBeside({ length }: readonly string[]): string | undefined {
  return length > 1 ? 'write a value that requests can have, or remove this one' : undefined;
}

/** The host of a URL is what its author means; a path belongs into another field. */
function hintOfUrl(reasonOf: ReasonOf | undefined, value: string): string | undefined {
  const name = reasonOf === host ? /^[a-z]+:\/\/([^/]+)/i.exec(value)?.[1] : undefined;
  return name && `write "${name}"`;
}

/** RFC 3986, section 3.2, and what Envoy takes: any other character in an authority is answered 400. */
const host: ReasonOf = (text) => {
  const odd = /[^A-Za-z0-9\-._~!$&'()*+,;=:@[\]%]/u.exec(text)?.[0];
  if (odd === undefined) return undefined;
  if (text.includes('://')) return 'a host has no scheme and no path';
  return `a host holds no "${odd}"${odd > '\x7f' ? ': write its ASCII form (xn--…)' : ''}`;
};

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*$/;

const method: ReasonOf = (text) =>
  token.test(text) ? undefined : 'a method is one word: list each of several as a value of its own';

/** TLS gives server names without the final dot (RFC 6066, section 3); labels of the mesh's own hold underscores. */
const serverName: ReasonOf = (text, value) => {
  if (text.endsWith('.') && !value.endsWith('*')) return 'a server name in TLS has no dot at its end';
  const odd = /[^A-Za-z0-9\-._]/u.exec(text)?.[0];
  return odd && `a server name in TLS holds no "${odd}"`;
};

/** SPIFFE ID, section 2: nothing else stands in an identity. Its scheme, and stars inside, are told of elsewhere. */
const principal: ReasonOf = (text, value) => {
  if (text.startsWith('spiffe://')) return undefined;
  const odd = /[^A-Za-z0-9\-._/*]/u.exec(text)?.[0];
  if (odd !== undefined) return `an identity holds no "${odd}"`;
  const isWhole = !value.startsWith('*') && !value.endsWith('*');
  return isWhole && !/^[^/]+\/./.test(text)
    ? 'an identity has the form <trust domain>/ns/<namespace>/sa/<service account>'
    : undefined;
};

/** RFC 1123 label, as Kubernetes names namespaces. */
const namespace: ReasonOf = (text) => {
  const odd = /[^a-z0-9*-]/u.exec(text)?.[0];
  return odd && `the name of a namespace holds no "${odd}"`;
};

/** RFC 9110, section 5.5: anything else ends the request, and blanks around a value are no part of it. */
const headerValue: ReasonOf = (text, value) => {
  if ([...text].some((character) => character !== '\t' && (character < ' ' || character === '\x7f')))
    return 'the value of a header holds no control characters';
  const isPadded = /^[ \t]/.test(value) || /[ \t]$/.test(value);
  return isPadded ? 'blanks around the value of a header are no part of it' : undefined;
};

const reasons: Readonly<Record<string, ReasonOf | undefined>> = {
  hosts: host,
  methods: method,
  principals: principal,
  'source.principal': principal,
  namespaces: namespace,
  'source.namespace': namespace,
  'connection.sni': serverName,
};

const headerReasons: Readonly<Record<string, ReasonOf | undefined>> = {
  host,
  ':authority': host,
  ':method': method,
  connection,
};

/** Such a request keeps all that the header names, and only whole values can leave out that it asks for an upgrade. */
function connection(text: string, value: string): string | undefined {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  return text !== value || names.includes('upgrade')
    ? undefined
    : 'rules see the header "connection" of requests for an upgrade alone';
}

const pseudoHeaders: ReadonlySet<string> = new Set([':authority', ':method', ':scheme', ':protocol', ':path']);

/** Envoy takes these off before any filter: they are about one connection. */
const removedHeaders: ReadonlySet<string> = new Set(['keep-alive', 'proxy-connection', 'transfer-encoding']);

/** Why no request has a header of this name (in lower case) when rules are looked at. */
function absenceOf(name: string): string | undefined {
  if (removedHeaders.has(name)) return `"${name}" is taken off before rules are looked at`;
  if (name.startsWith(':')) {
    return pseudoHeaders.has(name)
      ? undefined
      : 'requests have :authority, :method and :scheme, and no others with ":"';
  }
  return token.test(name) ? undefined : `"${name}" is no name of a header`;
}

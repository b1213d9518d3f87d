import fc from 'fast-check';

/** Hosts and ends of hosts that a test of routes names, and neighbours of both. */
const names = [
  'example.com',
  'a.example.com',
  'x.y.example.com',
  '.example.com',
  'internal.corp',
  'INTERNAL.corp',
  'x.corp',
  '.corp',
  'public',
  'Public.corp',
  'public.example.com',
  'Example.COM',
  'evil.test',
  'com',
  'a_b-c',
] as const;

/** What separates the parts of an authority (RFC 3986, section 3.2), what looks like it, and what is no part of a host. */
const marks = [
  ':',
  ':80',
  ':8080',
  ':abc',
  ':0x50',
  ':99999999999',
  '.',
  '..',
  '[',
  ']',
  '[::1]',
  '::',
  ',',
  '@',
] as const;
const oddities = [
  'u@',
  ':p@',
  '/',
  '\\',
  '?',
  '#',
  ';',
  '%',
  '%2e',
  '%3a',
  '*',
  '~',
  ' ',
  '\t',
  '-',
  '_',
  '+80',
  '"',
] as const;

/**
 * Authorities of requests: most of one name with marks around it, some of several parts in any order. Never empty.
 * `near` are names that the rules of a test name, and neighbours of them.
 */
export function authorities(near: readonly string[] = names): fc.Arbitrary<string> {
  const name = fc.constantFrom(...near);
  const mark = fc.constantFrom(...marks);
  const part = fc.oneof({ arbitrary: name, weight: 5 }, { arbitrary: mark, weight: 5 }, fc.constantFrom(...oddities));
  const joined = (parts: readonly string[]): string => parts.join('');
  return fc.oneof(
    fc.tuple(name, fc.constantFrom('', ':80', ':65535', '.', '.:80', ':', ':abc', '..')).map(joined),
    fc.tuple(name, mark, name).map(joined),
    fc.tuple(mark, name, mark, name).map(joined),
    fc.array(part, { minLength: 1, maxLength: 6 }).map(joined),
  );
}

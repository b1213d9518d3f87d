import type { RequestReading } from '../../src/testbed/reading.ts';
import { bytes, dots, escapes, forms, literal, others, own, slashes } from './admin-paths.ts';
import type { AttackGroup } from './attack.ts';
import { framing } from './framing-attacks.ts';
import { cookies, roles, tiers, users } from './header-attacks.ts';
import { grantedHosts } from './host-attacks.ts';
import { deep, outside, prefixed, rooted, suffixed, templated } from './pattern-paths.ts';
import { hosts, methods } from './request-attacks.ts';

/** Every attack, by the rule that it tries to pass. */
export const attackGroups: readonly AttackGroup[] = [
  path('path /admin', 'A path', '/admin', (path) => path === '/admin', [
    ...[...literal, ...dots, ...slashes, ...escapes, ...bytes, ...forms, ...own, ...others],
    ...framing,
  ]),
  path('path /', 'The root path', '/', (path) => path === '/', rooted),
  path('paths below /private/', 'A path prefix', '/private/*', (path) => path.startsWith('/private/'), prefixed),
  path('paths that end with .key', 'A path suffix', '*.key', (path) => path.endsWith('.key'), suffixed),
  path(
    'path template /store/{*}/secret',
    'A path template with one variable segment',
    '/store/{*}/secret',
    (path) => /^\/store\/[^/]+\/secret$/.test(path),
    templated,
  ),
  path(
    'path template /vault/{**}/key',
    'A path template with one segment or more in the middle',
    '/vault/{**}/key',
    (path) => /^\/vault\/.+\/key$/.test(path),
    deep,
  ),
  header('header x-role is admin', 'x-role', 'admin', (value) => value === 'admin', roles),
  header('header x-tier begins with gold', 'x-tier', 'gold*', (value) => value.startsWith('gold'), tiers),
  header('header x-user ends with -root', 'x-user', '*-root', (value) => value.endsWith('-root'), users),
  {
    title: 'cookie session is bad',
    about: 'A cookie: `request.headers[cookie]` with `values: ["session=bad"]`',
    rule: { when: [{ key: 'request.headers[cookie]', values: ['session=bad'] }] },
    kinship: (reading) => (cookiesOf(reading).includes('session=bad') ? 'denied' : 'other'),
    shown: ({ headers }) => (headers.cookie ?? []).map((value) => JSON.stringify(value)).join(' '),
    attacks: cookies,
  },
  {
    title: 'host admin.example.com',
    about: 'A host: `hosts: ["admin.example.com"]`',
    rule: { to: [{ operation: { hosts: ['admin.example.com'] } }] },
    kinship: ({ host }) => (host === 'admin.example.com' ? 'denied' : 'other'),
    shown: ({ host }) => host,
    attacks: hosts,
  },
  {
    title: 'method POST',
    about: 'A method: `methods: ["POST"]`',
    rule: { to: [{ operation: { methods: ['POST'] } }] },
    kinship: ({ method }) => (method === 'POST' ? 'denied' : 'other'),
    shown: ({ method }) => method,
    attacks: methods,
  },
];

/** Attacks on what an ALLOW policy gives to hosts. */
export const allowHostsGroup: AttackGroup = {
  title: 'only hosts server.foo and below example.com',
  about: 'Hosts, the only ones that an ALLOW rule allows: `hosts: ["server.foo", "*.example.com"]`',
  rule: { to: [{ operation: { hosts: ['server.foo', '*.example.com'] } }] },
  kinship: ({ host }) => (/^server\.foo$|^[^.].*\.example\.com$/.test(host) ? 'other' : 'denied'),
  shown: ({ host }) => host,
  attacks: grantedHosts,
};

/** Attacks on what an ALLOW policy gives; its rule says what is allowed, all else is denied. */
export const allowGroup: AttackGroup = {
  ...path(
    'only paths below /public/',
    'A path prefix, the only paths that an ALLOW rule allows',
    '/public/*',
    (name) => !name.startsWith('/public/'),
    outside,
  ),
  kinship: ({ resource }) => (resource.startsWith('/public/') ? 'other' : 'denied'),
};

/** All rules as one ALLOW of everything else: what DENY refuses, `not…` must not allow. */
export const allowOfAllElse: object = {
  to: [
    {
      operation: {
        notPaths: ['/admin', '/', '/private/*', '*.key', '/store/{*}/secret', '/vault/{**}/key'],
        notHosts: ['admin.example.com'],
        notMethods: ['POST'],
      },
    },
  ],
  when: [
    { key: 'request.headers[cookie]', notValues: ['session=bad'] },
    { key: 'request.headers[x-role]', notValues: ['admin'] },
    { key: 'request.headers[x-tier]', notValues: ['gold*'] },
    { key: 'request.headers[x-user]', notValues: ['*-root'] },
  ],
};

function path(
  title: string,
  about: string,
  pattern: string,
  isDenied: (path: string) => boolean,
  attacks: AttackGroup['attacks'],
): AttackGroup {
  return {
    title,
    about: `${about}: \`paths: ["${pattern}"]\``,
    rule: { to: [{ operation: { paths: [pattern] } }] },
    kinship: ({ resource, alike }) =>
      isDenied(resource) ? 'denied' : isDenied(alike) || isDenied(`${alike}/`) ? 'equivalent' : 'other',
    shown: ({ target }) => target,
    attacks,
  };
}

/** As an application parts them: at semicolons, without outer blanks. */
function cookiesOf({ headers }: RequestReading): readonly string[] {
  return (headers.cookie ?? []).flatMap((value) => value.split(';').map((cookie) => cookie.trim()));
}

function header(
  title: string,
  name: string,
  pattern: string,
  isDenied: (value: string) => boolean,
  attacks: AttackGroup['attacks'],
): AttackGroup {
  const valuesOf = ({ headers }: RequestReading): readonly string[] => headers[name] ?? [];
  return {
    title,
    about: `A header: \`request.headers[${name}]\` with \`values: ["${pattern}"]\``,
    rule: { when: [{ key: `request.headers[${name}]`, values: [pattern] }] },
    kinship: (reading) => (valuesOf(reading).some(isDenied) ? 'denied' : 'other'),
    shown: (reading) =>
      valuesOf(reading)
        .map((value) => JSON.stringify(value))
        .join(' '),
    attacks,
  };
}

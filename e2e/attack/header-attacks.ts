import type { Attack } from './attack.ts';

/** The value `admin` of a header. */
export const roles: readonly Attack[] = [
  { headers: [['X-Role', 'admin']], http1: '403', http2: '403' },
  { headers: [['X-Role', ' admin']], http1: '403', http2: '403' },
  { headers: [['X-Role', 'admin ']], http1: '403', http2: '403' },
  { headers: [['X-Role', '\x09admin']], http1: '403', http2: '403' },
  { headers: [['X-Role', 'admin\x09']], http1: '403', http2: '403' },
  { headers: [['X-Role', '  admin  ']], http1: '403', http2: '403' },
  { headers: [['X-Role', 'user,admin']], http1: '403', http2: '403' },
  { headers: [['X-Role', 'admin,user']], http1: '403', http2: '403' },
  { headers: [['X-Role', 'user, admin']], http1: '403', http2: '403' },
  { headers: [['X-Role', 'user ,admin']], http1: '403', http2: '403' },
  { headers: [['X-Role', 'a,admin,b']], http1: '403', http2: '403' },
  { headers: [['X-Role', ',admin,']], http1: '403', http2: '403' },
  { headers: [['X-Role', ';admin']], http1: '200 ";admin"', http2: '200 ";admin"' },
  { headers: [['X-Role', 'Admin']], http1: '200 "Admin"', http2: '200 "Admin"' },
  { headers: [['X-Role', 'ADMIN']], http1: '200 "ADMIN"', http2: '200 "ADMIN"' },
  { headers: [['X-Role', '"admin"']], http1: '200 "\\"admin\\""', http2: '200 "\\"admin\\""' },
  { headers: [['X-Role', 'admin\x80']], http1: '200 "admin\x80"', http2: '200 "admin\x80"' },
  { headers: [['X-Role', '\x80admin']], http1: '200 "\x80admin"', http2: '200 "\x80admin"' },
  { headers: [['X-Role', '\x80, admin']], http1: '403', http2: '403' },
  { headers: [['X-Role', 'admin,\xff']], http1: '403', http2: '403' },
  { headers: [['X-Role', '\xff,admin,\xfe']], http1: '403', http2: '403' },
  { headers: [['X-Role', '\xa0admin']], http1: '200 "\xa0admin"', http2: '200 "\xa0admin"' },
  { headers: [['X-Role', 'admin\xa0']], http1: '200 "admin\xa0"', http2: '200 "admin\xa0"' },
  { headers: [['X-Role', '\x0badmin']], http1: '400', http2: 'reset' },
  { headers: [['X-Role', '\x0cadmin']], http1: '400', http2: 'reset' },
  { headers: [['X-Role', 'admin\x00']], http1: '400', http2: 'reset' },
  { headers: [['X-Role', 'admin\x7f']], http1: '400', http2: 'reset' },
  { headers: [['X-Role', 'adm in']], http1: '200 "adm in"', http2: '200 "adm in"' },
  { headers: [['X-Role', 'admin;q=1']], http1: '200 "admin;q=1"', http2: '200 "admin;q=1"' },
  { headers: [['X-Role', 'user']], http1: '200 "user"', http2: '200 "user"' },
  { headers: [['X-Role', '']], http1: '200 ""', http2: '200 ""' },
  { headers: [['X-Role', 'superadmin']], http1: '200 "superadmin"', http2: '200 "superadmin"' },
  { headers: [['X-Role', 'adminx']], http1: '200 "adminx"', http2: '200 "adminx"' },
  {
    headers: [
      ['X-Role', 'user'],
      ['X-Role', 'admin'],
    ],
    http1: '403',
    http2: '403',
  },
  {
    headers: [
      ['X-Role', 'admin'],
      ['X-Role', 'user'],
    ],
    http1: '403',
    http2: '403',
  },
  {
    headers: [
      ['x-role', 'user'],
      ['X-ROLE', 'admin'],
    ],
    http1: '403',
    http2: '403',
  },
  {
    headers: [
      ['X-Role', ''],
      ['X-Role', 'admin'],
    ],
    http1: '403',
    http2: '403',
  },
  { headers: [['X-ROLE', 'admin']], http1: '403', http2: '403' },
  { headers: ['X-Role: user,\x0d\x0a admin'], http1: '403' },
  { headers: ['X-Role:\x0d\x0a admin'], http1: '403' },
  { headers: ['X-Role: \x0d\x0a\x09admin\x0d\x0a '], http1: '403' },
  { headers: ['X-Role : admin'], http1: '400' },
  { headers: ['X-Role:admin'], http1: '403' },
  { headers: [' X-Role: admin'], http1: '400' },
  { headers: ['X-Role: user\x0aX-Role: admin'], http1: '403' },
  { headers: ['X-Role: user\x0dX-Role: admin'], http1: '200 "userX-Role: admin"' },
  { headers: ['X-Role\x00: admin'], http1: '400' },
  { headers: [['X_Role', 'admin']], http1: '200 ', http2: '200 ', gateway: { http1: '400', http2: 'reset' } },
  { headers: ['X-Role: admin\x00'], http1: '400' },
  {
    headers: [
      ['Cookie', 'x'],
      ['X-Role', 'admin'],
    ],
    http1: '403',
    http2: '403',
  },
  {
    headers: [
      ['X-Role', 'admin'],
      ['Connection', 'X-Role'],
    ],
    http1: '200 ',
    http2: 'reset',
  },
  {
    headers: [
      ['X-Role', 'admin'],
      ['Trailer', 'X-Role'],
      ['TE', 'trailers'],
    ],
    http1: '403',
    http2: '403',
  },
];

/** Values that begin with `gold`. */
export const tiers: readonly Attack[] = [
  { headers: [['X-Tier', 'gold']], http1: '403', http2: '403' },
  { headers: [['X-Tier', 'gold-1']], http1: '403', http2: '403' },
  { headers: [['X-Tier', ' gold-1']], http1: '403', http2: '403' },
  { headers: [['X-Tier', '\x09gold']], http1: '403', http2: '403' },
  { headers: [['X-Tier', 'gold\xff']], http1: '403', http2: '403' },
  { headers: [['X-Tier', 'gold\x80\x81']], http1: '403', http2: '403' },
  { headers: [['X-Tier', 'silver, gold-1']], http1: '403', http2: '403' },
  { headers: [['X-Tier', 'gold-1,silver']], http1: '403', http2: '403' },
  { headers: [['X-Tier', '\xff,gold']], http1: '403', http2: '403' },
  { headers: [['X-Tier', 'silver']], http1: '200 "silver"', http2: '200 "silver"' },
  { headers: [['X-Tier', 'Gold']], http1: '200 "Gold"', http2: '200 "Gold"' },
  { headers: [['X-Tier', 'marigold']], http1: '200 "marigold"', http2: '200 "marigold"' },
];

/** Values that end with `-root`. */
export const users: readonly Attack[] = [
  { headers: [['X-User', 'x-root']], http1: '403', http2: '403' },
  { headers: [['X-User', 'x-root ']], http1: '403', http2: '403' },
  { headers: [['X-User', 'x-root\x09']], http1: '403', http2: '403' },
  { headers: [['X-User', '\xffx-root']], http1: '403', http2: '403' },
  { headers: [['X-User', 'x-root,y']], http1: '403', http2: '403' },
  { headers: [['X-User', 'y, x-root']], http1: '403', http2: '403' },
  { headers: [['X-User', 'x-rooted']], http1: '200 "x-rooted"', http2: '200 "x-rooted"' },
  { headers: [['X-User', 'X-ROOT']], http1: '200 "X-ROOT"', http2: '200 "X-ROOT"' },
  { headers: [['X-User', '-root']], http1: '403', http2: '403' },
  { headers: [['X-User', ' -root']], http1: '403', http2: '403' },
];

/** The cookie `session=bad`. */
export const cookies: readonly Attack[] = [
  { headers: [['Cookie', 'session=bad']], http1: '403', http2: '403' },
  { headers: [['Cookie', 'a=b; session=bad']], http1: '403', http2: '403' },
  { headers: [['Cookie', 'a=b;session=bad']], http1: '403', http2: '403' },
  { headers: [['Cookie', 'session=bad; a=b']], http1: '403', http2: '403' },
  { headers: [['Cookie', 'session=bad;']], http1: '403', http2: '403' },
  { headers: [['Cookie', 'session=good; session=bad']], http1: '403', http2: '403' },
  { headers: [['Cookie', 'a=b;\x09session=bad\x09;c=d']], http1: '403', http2: '403' },
  { headers: [['Cookie', ' session=bad ']], http1: '403', http2: '403' },
  { headers: [['Cookie', 'a=b, session=bad']], http1: '403', http2: '403' },
  {
    headers: [
      ['Cookie', 'a=b'],
      ['Cookie', 'session=bad'],
    ],
    http1: '403',
    http2: '403',
  },
  {
    headers: [
      ['Cookie', 'session=bad'],
      ['Cookie', 'a=b'],
    ],
    http1: '403',
    http2: '403',
  },
  {
    headers: [
      ['cookie', 'a=b; c=d'],
      ['COOKIE', 'e=f;session=bad'],
    ],
    http1: '403',
    http2: '403',
  },
  { headers: [['Cookie', '\xff=\xfe; session=bad']], http1: '403', http2: '403' },
  { headers: [['Cookie', 'session=good']], http1: '200 "session=good"', http2: '200 "session=good"' },
  { headers: [['Cookie', 'session=badly']], http1: '200 "session=badly"', http2: '200 "session=badly"' },
  { headers: [['Cookie', 'xsession=bad']], http1: '200 "xsession=bad"', http2: '200 "xsession=bad"' },
  { headers: [['Cookie', 'a=session=bad']], http1: '200 "a=session=bad"', http2: '200 "a=session=bad"' },
  { headers: [['Cookie', 'session="bad"']], http1: '200 "session=\\"bad\\""', http2: '200 "session=\\"bad\\""' },
  { headers: [['Cookie', 'session =bad']], http1: '200 "session =bad"', http2: '200 "session =bad"' },
  { headers: [['Cookie', 'session=b%61d']], http1: '200 "session=b%61d"', http2: '200 "session=b%61d"' },
];

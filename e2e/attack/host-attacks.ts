import { type Attack, get } from './attack.ts';

const own = '200 server.foo';
const below = '200 x.example.com';

/** Where only `server.foo` and hosts below `example.com` are allowed: those, and what looks like them. */
export const grantedHosts: readonly Attack[] = [
  { authority: 'server.foo', http1: own, http2: own },
  { authority: 'SERVER.foo', http1: own, http2: own },
  { authority: 'server.foo:8000', http1: own, http2: own },
  { authority: 'server.foo.', http1: own, http2: own },
  { authority: 'server.foo.:80', http1: own, http2: own },
  { authority: 'x.example.com', http1: below, http2: below },
  { authority: 'X.Example.COM:65535', http1: below, http2: below },
  { authority: 'server.foo..', http1: '403', http2: '403' },
  { authority: 'server.foo:', http1: '403', http2: '403' },
  { authority: 'server.foo:abc', http1: '403', http2: '403' },
  { authority: 'server.foo:0x50', http1: '403', http2: '403' },
  { authority: 'server.foo:80:80', http1: '403', http2: '403', gateway: { http1: own, http2: own } },
  { authority: 'server.foo:@evil.example', http1: '403', http2: 'reset' },
  { authority: 'server.foo:80@evil.example', http1: '403', http2: 'reset' },
  { authority: 'server.foo:,evil.example', http1: '403', http2: '403' },
  { authority: 'server.foo,evil.example', http1: '403', http2: '403' },
  { authority: 'evil.example,server.foo', http1: '403', http2: '403' },
  { authority: 'server.foo:]evil.example', http1: '403', http2: '403' },
  { authority: 'server.foo:80.evil.example', http1: '403', http2: '403' },
  { authority: 'server.foo evil.example', http1: '400', http2: 'reset' },
  { authority: 'evil.example:server.foo', http1: '403', http2: '403' },
  { authority: 'internal.corp:80.example.com', http1: '403', http2: '403' },
  { authority: 'internal.corp:.example.com', http1: '403', http2: '403' },
  { authority: 'internal.corp:80:.example.com', http1: '403', http2: '403' },
  { authority: 'internal.corp,x.example.com', http1: '403', http2: '403' },
  { authority: 'internal.corp;x.example.com', http1: '403', http2: '403' },
  { authority: 'internal.corp%2c.example.com', http1: '403', http2: '403' },
  { authority: 'user@x.example.com', http1: '403', http2: 'reset' },
  { authority: '[x.example.com:]internal.corp', http1: '403', http2: '403' },
  { authority: '[internal.corp].example.com', http1: '403', http2: '403' },
  { authority: '[::1].example.com', http1: '403', http2: '403' },
  { authority: '.example.com', http1: '403', http2: '403' },
  { authority: 'a..example.com', http1: '403', http2: '403' },
  { authority: '*.example.com', http1: '403', http2: '403' },
  { authority: 'example.com', http1: '403', http2: '403' },
  { authority: 'xexample.com', http1: '403', http2: '403' },
  { authority: 'evil.example', http1: '403', http2: '403' },
  { authority: '', http1: '403', http2: 'reset' },
  { target: 'http://server.foo:80/free', authority: 'evil.example', http1: own, http2: 'reset' },
  { target: 'http://evil.example/free', authority: 'server.foo', http1: '403', http2: 'reset' },
  { target: 'http://evil.example:80.example.com/free', authority: 'server.foo', http1: '400', http2: 'reset' },
  {
    headers: [
      ['Host', 'server.foo'],
      ['Host', 'evil.example'],
    ],
    http1: '403',
  },
  {
    headers: [
      ['Host', 'evil.example'],
      ['Host', 'server.foo'],
    ],
    http1: '403',
  },
  {
    headers: [
      ['Host', 'evil.example'],
      ['X-Forwarded-Host', 'server.foo'],
    ],
    http1: '403',
  },
  {
    fields: get([':path', '/free'], [':authority', 'evil.example'], ['host', 'server.foo']),
    http2: '403',
  },
  {
    fields: get([':path', '/free'], ['host', 'internal.corp:80.example.com']),
    http2: '403',
  },
];

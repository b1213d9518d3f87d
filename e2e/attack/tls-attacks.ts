import { type AttackOutcome, type AttackRequest, get } from './attack.ts';

/** A request on a TLS connection to a gateway port that several servers share. */
export interface TlsAttack extends AttackRequest {
  /** What the connection asks for; an empty text for none. */
  readonly sni: string;
  /** Certificate of the client; one by an authority that the server trusts, or by another. */
  readonly client?: 'good' | 'foreign';
  /** As for other attacks; `200` and the host that the application was asked for. */
  readonly http1?: AttackOutcome;
  readonly http2?: AttackOutcome;
}

/** The server that asks for client certificates, among `*.example.com`, `own.example.com` and `raw.example.com`. */
export const guardedHost = 'guarded.example.com';

const wide = 'wide.example.com';

/** The port has a server of `*.example.com` without client certificates and the guarded one with them. */
export const tlsAttacks: readonly TlsAttack[] = [
  { sni: wide, authority: wide, http1: '200 wide.example.com', http2: '200 wide.example.com' },
  {
    sni: guardedHost,
    authority: guardedHost,
    client: 'good',
    http1: '200 guarded.example.com',
    http2: '200 guarded.example.com',
  },
  { sni: guardedHost, authority: guardedHost, http1: 'closed', http2: 'closed' },
  { sni: guardedHost, authority: guardedHost, client: 'foreign', http1: 'closed', http2: 'closed' },
  { sni: guardedHost.toUpperCase(), authority: guardedHost, http1: 'closed', http2: 'closed' },
  { sni: '', authority: guardedHost, http1: 'closed', http2: 'closed' },
  { sni: '', authority: wide, http1: 'closed', http2: 'closed' },
  { sni: 'other.invalid', authority: guardedHost, http1: 'closed', http2: 'closed' },
  { sni: 'example.com', authority: guardedHost, http1: 'closed', http2: 'closed' },
  { sni: wide, authority: guardedHost, http1: '421', http2: '421' },
  { sni: wide, authority: guardedHost, client: 'good', http1: '421', http2: '421' },
  { sni: wide, authority: guardedHost.toUpperCase(), http1: '421', http2: '421' },
  { sni: wide, authority: 'Guarded.Example.Com', http1: '421', http2: '421' },
  { sni: wide, authority: `${guardedHost}:443`, http1: '421', http2: '421' },
  { sni: wide, authority: `${guardedHost}:80`, http1: '421', http2: '421' },
  { sni: wide, authority: `${guardedHost}:`, http1: '403', http2: '403' },
  { sni: wide, authority: `${guardedHost}:abc`, http1: '403', http2: '403' },
  { sni: wide, authority: `${guardedHost}.`, http1: '421', http2: '421' },
  { sni: wide, authority: `${guardedHost}.:443`, http1: '421', http2: '421' },
  { sni: wide, authority: `${guardedHost}..`, http1: '403', http2: '403' },
  { sni: wide, authority: `${guardedHost.toUpperCase()}.:1`, http1: '421', http2: '421' },
  { sni: wide, authority: `${guardedHost}:]${wide}`, http1: '403', http2: '403' },
  { sni: wide, authority: `${wide}:80.${guardedHost}`, http1: '403', http2: '403' },
  { sni: wide, authority: `user@${guardedHost}`, http1: '403', http2: 'reset' },
  { sni: wide, authority: `@${guardedHost}`, http1: '403', http2: 'reset' },
  { sni: wide, authority: ` ${guardedHost}`, http1: '421', http2: 'reset' },
  { sni: wide, authority: `${guardedHost} `, http1: '421', http2: 'reset' },
  { sni: wide, authority: `${guardedHost},${wide}`, http1: '403', http2: '403' },
  { sni: wide, authority: `${wide},${guardedHost}`, http1: '403', http2: '403' },
  {
    sni: wide,
    headers: [
      ['Host', guardedHost],
      ['Host', wide],
    ],
    http1: '403',
  },
  {
    sni: wide,
    headers: [
      ['Host', wide],
      ['Host', guardedHost],
    ],
    http1: '403',
  },
  {
    sni: wide,
    headers: [
      ['Host', wide],
      ['X-Forwarded-Host', guardedHost],
    ],
    http1: '200 wide.example.com',
  },
  { sni: wide, authority: wide, target: `https://${guardedHost}/free`, http1: '421', http2: 'reset' },
  { sni: wide, authority: wide, target: `http://${guardedHost}/free`, http1: '421', http2: 'reset' },
  { sni: wide, authority: guardedHost, target: `https://${wide}/free`, http1: '200 wide.example.com', http2: 'reset' },
  {
    sni: wide,
    authority: wide,
    headers: [['X-Forwarded-Client-Cert', 'URI=spiffe://cluster.local/ns/x/sa/admin']],
    http1: '200 wide.example.com',
    http2: '200 wide.example.com',
  },
  { sni: wide, authority: 'raw.example.com', http1: '421', http2: '421' },
  { sni: wide, authority: 'own.example.com', http1: '421', http2: '421' },
  { sni: 'own.example.com', authority: 'own.example.com', http1: '200 own.example.com', http2: '200 own.example.com' },
  { sni: 'own.example.com', authority: wide, http1: '421', http2: '421' },
  { sni: 'own.example.com', authority: guardedHost, http1: '421', http2: '421' },
  { sni: guardedHost, authority: wide, client: 'good', http1: '421', http2: '421' },
  { sni: wide, authority: '', http1: '404', http2: 'reset' },
  { sni: wide, authority: '*.example.com', http1: '403', http2: '403' },
  { sni: wide, authority: 'example.com', http1: '404', http2: '404' },
  { sni: wide, authority: 'other.invalid', http1: '404', http2: '404' },
  {
    sni: wide,
    fields: [
      [':method', 'GET'],
      [':scheme', 'https'],
      [':path', '/free'],
      [':authority', wide],
      ['host', guardedHost],
    ],
    http2: '200 wide.example.com',
  },
  {
    sni: wide,
    fields: [
      [':method', 'GET'],
      [':scheme', 'https'],
      [':path', '/free'],
      ['host', guardedHost],
    ],
    http2: '421',
  },
  {
    sni: wide,
    fields: get([':path', '/free'], [':authority', guardedHost]),
    http2: '421',
  },
];

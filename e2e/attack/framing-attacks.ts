import { type Attack, get } from './attack.ts';

/** Pseudo headers, framing, and headers that some applications believe more than the path. */
export const framing: readonly Attack[] = [
  {
    fields: get([':path', '/free'], [':path', '/admin'], [':authority', 'server']),
    http2: 'reset',
  },
  {
    fields: get([':authority', 'server']),
    http2: 'reset',
  },
  {
    fields: get([':path', '/admin'], [':authority', 'server'], ['x-original-url', '/free']),
    http2: '403',
  },
  {
    fields: [
      [':method', 'CONNECT'],
      [':authority', 'server'],
    ],
    http2: '404',
  },
  {
    fields: [
      [':method', 'CONNECT'],
      [':protocol', 'websocket'],
      [':scheme', 'http'],
      [':path', '/admin'],
      [':authority', 'server'],
    ],
    http2: 'reset',
  },
  {
    fields: get([':authority', 'server'], ['x-a', 'b'], [':path', '/admin']),
    http2: 'reset',
  },
  {
    fields: [
      [':method', 'GET'],
      [':scheme', 'gopher'],
      [':path', '/admin'],
      [':authority', 'server'],
    ],
    http2: '403',
  },
  {
    fields: get([':path', '/free'], [':authority', 'server'], ['x-rewrite-url', '/admin']),
    http2: '200 /free',
  },
  {
    fields: get([':path', '/free'], [':authority', 'server'], ['x-envoy-original-path', '/admin']),
    http2: '200 /free',
  },
  { headers: [['X-Original-URL', '/admin']], http1: '200 /free', http2: '200 /free' },
  { headers: [['X-Rewrite-URL', '/admin']], http1: '200 /free', http2: '200 /free' },
  {
    headers: [
      ['Transfer-Encoding', 'chunked'],
      ['Content-Length', '5'],
    ],
    http1: '400',
    http2: 'reset',
  },
  {
    headers: [
      ['Content-Length', '0'],
      ['Content-Length', '5'],
    ],
    http1: '400',
    http2: 'reset',
  },
  { headers: [['Transfer-Encoding', 'xchunked']], http1: '501', http2: 'reset' },
  { headers: [['Transfer-Encoding', 'gzip, chunked']], http1: '501', http2: 'reset' },
  { headers: ['Transfer-Encoding : chunked'], http1: '400' },
  {
    target: '/admin',
    headers: [
      ['Connection', 'Upgrade, HTTP2-Settings'],
      ['Upgrade', 'h2c'],
      ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
    ],
    http1: '403',
    http2: 'reset',
  },
  {
    target: '/admin',
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Version', '13'],
    ],
    http1: '403',
    http2: 'reset',
  },
  { target: '/admin', headers: [['Expect', '100-continue']], http1: '403', http2: '403' },
  {
    target: '/free',
    headers: [['Transfer-Encoding', 'chunked'], 'Content-Length: 4', '', '5e', 'GET /admin HTTP/1.1'],
    http1: '400',
  },
];

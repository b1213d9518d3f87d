import { type Attack, get } from './attack.ts';

/** The host `admin.example.com`. */
export const hosts: readonly Attack[] = [
  { authority: 'admin.example.com', http1: '403', http2: '403' },
  { authority: 'ADMIN.example.com', http1: '403', http2: '403' },
  { authority: 'Admin.Example.Com', http1: '403', http2: '403' },
  { authority: 'admin.example.com:80', http1: '403', http2: '403' },
  { authority: 'admin.example.com:8000', http1: '403', http2: '403' },
  { authority: 'admin.example.com:', http1: '403', http2: '403' },
  { authority: 'admin.example.com:abc', http1: '403', http2: '403' },
  { authority: 'admin.example.com.', http1: '403', http2: '403' },
  { authority: 'admin.example.com.:80', http1: '403', http2: '403' },
  { authority: 'admin.example.com.:', http1: '403', http2: '403' },
  { authority: 'ADMIN.EXAMPLE.COM.:1', http1: '403', http2: '403' },
  { authority: 'user@admin.example.com', http1: '403', http2: 'reset' },
  { authority: 'user:x@admin.example.com', http1: '403', http2: 'reset' },
  { authority: '@admin.example.com', http1: '403', http2: 'reset' },
  { authority: ' admin.example.com', http1: '403', http2: 'reset' },
  { authority: 'admin.example.com ', http1: '403', http2: 'reset' },
  { authority: 'admin.example.com\x09', http1: '403', http2: 'reset' },
  { authority: 'admin.example.com/', http1: '400', http2: 'reset' },
  { authority: 'admin.example.com?', http1: '400', http2: 'reset' },
  { authority: 'admin.example.com#', http1: '400', http2: 'reset' },
  { authority: 'admin.example.com..', http1: '403', http2: '403' },
  { authority: 'other.example.com,admin.example.com', http1: '403', http2: '403' },
  { authority: 'admin.example.com,other.example.com', http1: '403', http2: '403' },
  { authority: '', http1: '403', http2: 'reset' },
  { authority: 'admin.example.com\x00', http1: '400', http2: 'reset' },
  { authority: 'admin.example.com\xff', http1: '400', http2: 'reset' },
  { authority: 'xadmin.example.com', http1: '200 xadmin.example.com', http2: '200 xadmin.example.com' },
  { authority: 'admin.example.comx', http1: '200 admin.example.comx', http2: '200 admin.example.comx' },
  { authority: 'admin.example.com.evil', http1: '200 admin.example.com.evil', http2: '200 admin.example.com.evil' },
  { authority: 'other.example.com', http1: '200 other.example.com', http2: '200 other.example.com' },
  { target: 'http://admin.example.com/free', authority: 'other.example.com', http1: '403', http2: 'reset' },
  { target: 'http://ADMIN.example.com:81/free', authority: 'other.example.com', http1: '403', http2: 'reset' },
  { target: 'http://admin.example.com./free', authority: 'other.example.com', http1: '403', http2: 'reset' },
  { target: 'http://user@admin.example.com/free', authority: 'other.example.com', http1: '403', http2: 'reset' },
  {
    target: 'http://other.example.com/free',
    authority: 'admin.example.com',
    http1: '200 other.example.com',
    http2: 'reset',
  },
  {
    headers: [
      ['Host', 'other.example.com'],
      ['Host', 'admin.example.com'],
    ],
    http1: '403',
  },
  {
    headers: [
      ['Host', 'admin.example.com'],
      ['Host', 'other.example.com'],
    ],
    http1: '403',
  },
  {
    headers: [
      ['Host', 'other.example.com'],
      ['X-Forwarded-Host', 'admin.example.com'],
    ],
    http1: '200 other.example.com',
  },
  {
    fields: get([':path', '/free'], ['host', 'admin.example.com']),
    http2: '403',
  },
  {
    fields: get([':path', '/free'], [':authority', 'other.example.com'], ['host', 'admin.example.com']),
    http2: '200 other.example.com',
  },
  {
    fields: get([':path', '/free'], [':authority', 'admin.example.com'], ['host', 'other.example.com']),
    http2: '403',
  },
  {
    fields: get([':path', '/free'], [':authority', 'other.example.com'], [':authority', 'admin.example.com']),
    http2: 'reset',
  },
  {
    fields: get([':path', '/free'], [':authority', ''], ['host', 'admin.example.com']),
    http2: 'reset',
  },
  {
    fields: get([':path', '/free']),
    http2: 'reset',
  },
];

/** The method POST. */
export const methods: readonly Attack[] = [
  { method: 'POST', http1: '403', http2: '403' },
  { method: 'post', http1: '400', http2: '403' },
  { method: 'Post', http1: '400', http2: '403' },
  { method: 'pOsT', http1: '400', http2: '403' },
  { method: 'POST ', http1: '403', http2: 'reset' },
  { method: ' POST', http1: '400', http2: 'reset' },
  { method: 'POST\x09', http1: '403', http2: 'reset' },
  { method: 'P%4fST', http1: '400', http2: '422', gateway: { http2: '400' } },
  { method: 'POS', http1: '400', http2: '422', gateway: { http2: '400' } },
  { method: 'GET', http1: '200 GET', http2: '200 GET' },
  { method: 'get', http1: '400', http2: '422', gateway: { http2: '400' } },
  { method: 'FOO', http1: '400', http2: '422', gateway: { http2: '400' } },
  { method: 'PRI', http1: '400', http2: '422', gateway: { http2: '400' } },
  { method: 'PUT', http1: '200 PUT', http2: '200 PUT' },
  { headers: [['X-HTTP-Method-Override', 'POST']], http1: '200 GET', http2: '200 GET' },
  {
    fields: [
      [':method', 'POST'],
      [':method', 'GET'],
      [':scheme', 'http'],
      [':path', '/free'],
      [':authority', 'server'],
    ],
    http2: 'reset',
  },
  {
    fields: [
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', '/free'],
      [':authority', 'server'],
    ],
    http2: '403',
  },
  { method: 'CONNECT', target: 'server:80', http1: '404', http2: 'reset' },
];

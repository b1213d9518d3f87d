import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/effort.ts';
import { edges } from '../../testing/head-edges.ts';
import { HeaderLines } from '../model/header-lines.ts';
import { authorityOf } from '../model/host-lines.ts';
import { normalizePath } from '../model/normalize-path.ts';
import type { HttpRequest } from '../request.ts';
import { checkWire } from './check-wire.ts';
import { isNearLimits } from './head-limits.ts';
import { internalHeaders, removeInternalHeaders } from './internal-headers.ts';
import { connectionHeaders, leaveConnection } from './leave-connection.ts';
import { isPlainHead } from './plain-head.ts';

const plain: HttpRequest = { method: 'GET', path: '/a/b', authority: 'web.shop:80', headers: [['accept', '*/*']] };
const paths = { normalizes: true, mergesSlashes: true, escapedSlashes: 'unescape' } as const;
const limits = { underscores: 'refuse', maxHeaders: 100, maxHeadBytes: 61_440 } as const;

describe('isPlainHead', () => {
  test.each<Partial<HttpRequest>>([
    {},
    { method: 'POST', headers: [['content-length', '12']] },
    { path: '/a?b=/../%2f&c=d//?' },
    { headers: [['x-a', '']] },
    { headers: [['x-a', 'b\tc \xff']] },
    { unseen: 12, opaque: ['x-request-id'] },
  ])('of %j is true', (change) => {
    expect(isPlainHead({ ...plain, ...change })).toBe(true);
  });

  test.each<Partial<HttpRequest>>([
    ...['QUERY', 'CONNECT', 'get', ''].map((method) => ({ method })),
    ...['', '*', 'a', '//', '/a/../b', '/%61', '/a b', '/a#', '/a?#', '/a?b c', '/a?\x7f', '/\xff', 'http://web/'].map(
      (path) => ({ path }),
    ),
    ...['', 'a b', 'a@b', '\xff'].map((authority) => ({ authority })),
    ...['', 'X-A', 'x_a', 'x a', 'host', 'connection', 'x-envoy-max-retries'].map((name) => ({
      headers: [[name, 'b']] as const,
    })),
    ...[' b', 'b\t', 'b\0c'].map((value) => ({ headers: [['x-a', value]] as const })),
    ...['', '1x', '-1', '18446744073709551616'].map((value) => ({ headers: [['content-length', value]] as const })),
    {
      headers: [
        ['content-length', '1'],
        ['content-length', '1'],
      ],
    },
    { told: ['accept'] },
  ])('of %j is false', (change) => {
    expect(isPlainHead({ ...plain, ...change })).toBe(false);
  });

  test('is true of a head only if all checks accept it over both protocols, and change nothing in it', () => {
    let count = 0;
    fc.assert(
      fc.property(heads(), (head) => {
        if (!isPlainHead(head)) return;
        count++;
        expectUntouched(head);
      }),
      runs(3_000),
    );
    expect(count).toBeGreaterThan(20);
  });

  test('is true of a head at the edge of what Envoy takes only if all checks accept it', () => {
    const known = [...edges('usual'), ...edges('narrow')].map(({ request }) => request);
    const accepted = known.filter((head) => isPlainHead(head) && !isNearLimits(head, limits));
    expect(accepted.length).toBeGreaterThan(5);
    for (const head of accepted) expectUntouched(head);
  });
});

function expectUntouched(head: HttpRequest): void {
  const changed = [false, true].map((isEdge) => {
    const lines = new HeaderLines(head.headers);
    const leaves = leaveConnection(lines, { upgrades: [] });
    removeInternalHeaders(lines, isEdge);
    return [leaves, lines.freeze()];
  });
  expect({
    outcomes: (['http/1.1', 'h2'] as const).map((protocol) => checkWire({ protocol }, head, limits)),
    path: normalizePath(head.path, paths),
    authority: authorityOf(head),
    changed,
  }).toEqual({
    outcomes: [undefined, undefined],
    path: { kind: 'path', path: head.path },
    authority: head.authority,
    changed: [
      [true, head.headers],
      [true, head.headers],
    ],
  });
}

/** Heads of few pieces each, so that many are plain and each kind of other piece is met. */
function heads(): fc.Arbitrary<HttpRequest> {
  const piece = fc.constantFrom(
    'a',
    'b',
    '1',
    '/',
    '.',
    '-',
    '_',
    '?',
    '#',
    '%2f',
    ' ',
    '\t',
    '\0',
    '\x7f',
    '\xff',
    ':',
  );
  const text = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));
  const names = [
    'content-length',
    'Accept',
    'accept',
    'cookie',
    'content-type',
    ...connectionHeaders,
    ...internalHeaders,
  ];
  const line = fc.tuple(fc.oneof(text, fc.constantFrom(...names)), fc.oneof(text, fc.constantFrom('12', 'trailers')));
  return fc.record({
    method: fc.constantFrom('GET', 'POST', 'OPTIONS', 'QUERY', 'CONNECT', 'get'),
    path: fc.oneof(
      fc.constantFrom('/a', '*'),
      text.map((rest) => `/${rest}`),
    ),
    authority: fc.oneof(fc.constant('web'), text),
    headers: fc.array(line, { maxLength: 3 }),
    unseen: fc.constantFrom(undefined, 12),
  });
}

test.each([
  [65_000, false],
  [65_537, true],
])('a value of %i bytes is near a limit, whatever size a listener allows: %s', (length, isNear) => {
  const head = { method: 'GET', path: '/', authority: 'a', headers: [['x', 'a'.repeat(length)]] } as const;
  expect(isNearLimits(head, { maxHeaders: 100, maxHeadBytes: 96 * 1_024 })).toBe(isNear);
});

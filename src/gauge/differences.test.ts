import { describe, expect, test } from 'vitest';
import { notHttp, type Outcome } from '../access/outcome.ts';
import { differences } from './differences.ts';
import type { GaugeAnswer } from './gauge-case.ts';

const seen = (answer: Partial<GaugeAnswer>): GaugeAnswer => ({
  ...{ status: 0, opener: 0, details: '', chain: '', route: '', cluster: '' },
  ...answer,
});
const denied: Outcome = { kind: 'answered', status: 403, details: 'rbac_access_denied' };
const reaches: Outcome = { kind: 'reaches', clusters: ['a', 'b'] };
const closed = (...exitCodes: readonly number[]): Outcome & { readonly kind: 'closed' } => ({
  kind: 'closed',
  exitCodes,
  details: 'no chain',
});

describe('differences', () => {
  test.each<[string, Outcome, Partial<GaugeAnswer>, readonly string[]]>([
    ['an answer as it was predicted', denied, { status: 403, details: 'rbac_access_denied' }, []],
    [
      'the status of an authorizer',
      { ...denied, details: 'ext_authz_denied' },
      { status: 400, details: 'ext_authz_denied' },
      [],
    ],
    ['another reason of the same status', denied, { status: 403, details: 'ext_authz_denied' }, ['details']],
    ['an answer where delivery was predicted', reaches, { status: 403, details: 'x' }, ['cluster', 'details']],
    ['one of several clusters', reaches, { status: 200, details: 'via_upstream', cluster: 'b' }, []],
    [
      'delivery where an answer was predicted',
      denied,
      { status: 200, details: 'via_upstream', cluster: 'a' },
      ['status', 'details'],
    ],
    [
      'bytes that go on where the end was predicted',
      closed(52, 56),
      { cluster: 'a', ending: 'bytes' },
      ['cluster', 'ending'],
    ],
    ['bytes of the proxy itself where the end was predicted', closed(52, 56), { ending: 'bytes' }, ['ending']],
    ['what it says of bytes that are not HTTP', { ...closed(52, 56), details: notHttp }, { ending: 'bytes' }, []],
    ['an end after a cluster was chosen', closed(52, 56), { cluster: 'a', ending: 'end' }, []],
    ['a plain end where a reset was predicted', closed(56), { ending: 'end' }, ['ending']],
    ['a reset where either end will do', closed(52, 56), { ending: 'reset' }, []],
    ['a fault of TLS where either end will do', closed(52, 56), { ending: 'EPROTO' }, ['ending']],
    ['a refused connection where either end will do', closed(18, 55, 56), { ending: 'ECONNREFUSED' }, ['ending']],
    ['an alert where a client is refused', closed(35, 55, 56), { ending: 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA' }, []],
    ['an alert where none is sent', closed(52, 56), { ending: 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA' }, ['ending']],
    ['no end at all', closed(18, 55, 56), {}, ['ending']],
    ['anything where nothing was predicted', { kind: 'unmodelled', at: 'x' }, { status: 200 }, ['modelled']],
  ])('of %s', (_name, outcome, answer, expected) => {
    expect(differences({ outcome, steps: [] }, seen(answer))).toEqual(expected);
  });
});

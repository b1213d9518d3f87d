import { describe, expect, test } from 'vitest';
import { workloadSpiffeId } from './spiffe-id.ts';
import { claimsOf } from './token.ts';

const names = { trustDomain: 'Cluster.Local', namespace: 'foo', serviceAccount: 'httpbin' };
const none = { trustDomain: 'cluster.local', namespace: undefined, serviceAccount: undefined };
const id = 'spiffe://cluster.local/ns/foo/sa/httpbin';
const subject = 'system:serviceaccount:foo:httpbin';

describe('workloadSpiffeId', () => {
  test('is made of the variables, the trust domain in lower case', () => {
    expect(workloadSpiffeId(names, undefined)).toEqual({ spiffeId: id });
  });

  test('takes what is missing from the token', () => {
    expect(workloadSpiffeId(none, subject)).toEqual({ spiffeId: id });
    expect(workloadSpiffeId({ ...none, namespace: 'foo' }, subject)).toEqual({ spiffeId: id });
    expect(workloadSpiffeId(names, 'somebody@example.com')).toEqual({ spiffeId: id });
  });

  test.each([undefined, 'system:serviceaccount:foo', 'system:serviceaccount:foo:a:b', 'system:serviceaccount::a'])(
    'names both sources when neither says it (sub: %s)',
    (sub) => {
      expect(workloadSpiffeId(none, sub).problem).toMatch(/POD_NAMESPACE and SERVICE_ACCOUNT.*"sub"/);
    },
  );

  test.each(['system:serviceaccount:bar:httpbin', 'system:serviceaccount:foo:other'])(
    'refuses a token of another workload: %s',
    (sub) => expect(workloadSpiffeId(names, sub).problem).toMatch(/the token is of/),
  );

  test.each(['', '..', 'a/b', 'a b', 'ä', 'a%2f'])('refuses the service account "%s"', (serviceAccount) => {
    expect(workloadSpiffeId({ ...names, serviceAccount }, undefined).problem).toMatch(/cannot be the service account/);
  });

  test('refuses an identity longer than SPIFFE allows', () => {
    expect(workloadSpiffeId({ ...names, serviceAccount: 'a'.repeat(2048) }, undefined).problem).toMatch(/longer/);
  });
});

describe('claimsOf', () => {
  const token = (payload: string): string => `a.${Buffer.from(payload).toString('base64url')}.b`;
  const nothing = { subject: undefined, expiresAtMs: undefined };

  test('reads subject and expiry', () => {
    expect(claimsOf(token('{"sub":"x","exp":10}'))).toEqual({ subject: 'x', expiresAtMs: 10_000 });
  });

  test.each(['', 'a.b', token('{'), token('null'), token('7'), token('{"sub":1,"exp":"x"}'), 'a.b.c.d'])(
    'finds nothing in "%s"',
    (text) => expect(claimsOf(text)).toEqual(nothing),
  );
});

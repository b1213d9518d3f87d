import { describe, expect, test } from 'vitest';
import { KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import { createTokenMint } from '../testing/token-mint.ts';
import { createTokenReview, type ReviewedToken } from './token-review.ts';

const mint = createTokenMint();
const user = { username: 'system:serviceaccount:foo:httpbin', groups: ['system:serviceaccounts'] };
const yes = { status: { authenticated: true, audiences: ['mesh-ca'], user } };

interface Asked {
  readonly body: { readonly spec: object };
}

/** Reviews a token by a server that gives this answer: real servers give most of these no more, or not yet. */
function reviewing(answer: unknown, isFirstParty = false) {
  const asked: Asked[] = [];
  const api = {
    ask: async <T>(request: object): Promise<T> => {
      asked.push(request as Asked);
      if (answer instanceof Error) throw answer;
      return answer as T;
    },
  };
  const review = createTokenReview({ api, audiences: ['mesh-ca', 'istio-ca'], isFirstParty, clock: Date.now });
  return { review, asked };
}

async function shown(answer: unknown): Promise<ReviewedToken['authentication']> {
  return (await reviewing(answer).review(await mint.mint('foo/httpbin'))).authentication;
}

describe('createTokenReview', () => {
  test('gives the account that the API server names, not the one in the token, and its expiry', async () => {
    const { review, asked } = reviewing(yes);
    const token = await mint.mint('foo/other', { claims: { exp: 4_000_000_000 } });
    expect(await review(token)).toEqual({
      authentication: { caller: { namespace: 'foo', serviceAccount: 'httpbin', by: 'token' } },
      endsAt: 4_000_000_000_000,
    });
    expect(asked[0]?.body.spec).toEqual({ token, audiences: ['mesh-ca', 'istio-ca'] });
  });

  test.each<[string, object, RegExp]>([
    ['authenticated it is not', { ...yes.status, authenticated: false, error: 'expired' }, /not accept.*: expired$/],
    ['authenticated is no boolean', { ...yes.status, authenticated: 'true' }, /does not accept the token$/],
    ['there is an error beside', { ...yes.status, error: 'no lookup' }, /does not accept the token: no lookup/],
    ['no audience was looked at', { ...yes.status, audiences: undefined }, /for none of \["mesh-ca","istio-ca"\]/],
    ['it is for another audience', { ...yes.status, audiences: ['api'] }, /for none of/],
    ['it is of a person', { ...yes.status, user: { ...user, username: 'admin' } }, /no service account/],
    [
      'a part is missing',
      { ...yes.status, user: { ...user, username: 'system:serviceaccount:foo' } },
      /no service acc/,
    ],
    ['a name is none', { ...yes.status, user: { ...user, username: 'system:serviceaccount:foo:a/b' } }, /no service a/],
    ['the group is missing', { ...yes.status, user: { ...user, groups: ['system:authenticated'] } }, /no service acco/],
  ])('refuses a token if %s', async (_, status, problem) => {
    expect(await shown({ status })).toEqual({ problem: expect.stringMatching(problem) });
  });

  test.each<[string, unknown, RegExp]>([
    ['is unreachable', new KubernetesError('api-unreachable', 'POST /x: no answer in time'), /no answer in time/],
    ['answers without a status', {}, /has no status/],
    ['answers with another status', { status: null }, /has no status/],
  ])('reports UNAVAILABLE if the API server %s', async (_, answer, problem) => {
    expect(await shown(answer)).toEqual({ problem: expect.stringMatching(problem), isOurFault: true });
  });

  test('does not quote a token that the API server quotes', async () => {
    const token = await mint.mint('foo/httpbin');
    const { review } = reviewing({ status: { authenticated: false, error: `bad: ${token}` } });
    expect((await review(token)).authentication.problem).toBe('the API server does not accept the token: bad: …');
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    ['no JWT', async () => 'opaque', /no JWT/],
    ['too long', async () => 'a'.repeat(20_000), /20000 characters/],
    ['of a person', () => mint.mint('x', { claims: { sub: 'admin' } }), /no service account/],
    ['for others', () => mint.mint('foo/a', { claims: { aud: ['api'] } }), /audience of the token is \["api"\]/],
    ['for nobody', () => mint.mint('foo/a', { claims: { aud: undefined } }), /audience of the token is absent/],
    ['over', () => mint.mint('foo/a', { claims: { exp: 1_000 } }), /has expired/],
    ['without an end', () => mint.mint('foo/a', { claims: { exp: undefined } }), /has no end/],
  ])('does not ask about a token that is %s', async (_, token, problem) => {
    const { review, asked } = reviewing(yes);
    expect((await review(await token())).authentication.problem).toMatch(problem);
    expect(asked).toEqual([]);
  });

  test('asks about a token for the API server itself, or without expiry, only with JWT_POLICY=first-party-jwt', async () => {
    const answer = { status: { ...yes.status, audiences: undefined } };
    const { review, asked } = reviewing(answer, true);
    const token = await mint.mint('foo/httpbin', { claims: { aud: undefined, exp: undefined } });
    expect((await review(token)).authentication.caller).toBeDefined();
    expect(asked[0]?.body.spec).toEqual({ token });
  });
});

import type { KeyObject } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { checkAnswer } from './answer.ts';
import { AuthorityError, type AuthorityOptions } from './authority.ts';
import { requestCertificate } from './ca-client.ts';
import type { RequestIdentity } from './keeper.ts';
import { formatKey, generateKey } from './key.ts';
import { knownRoots } from './known-roots.ts';
import { shownToken } from './shown-token.ts';
import type { SecretSnapshot } from './snapshot.ts';
import { workloadSpiffeId } from './spiffe-id.ts';
import { claimsOf, readToken } from './token.ts';

/** Attempts at the CA; each answer, good or bad, is followed by a new key. */
export function identityRequests(authority: AuthorityOptions, clock: Clock): RequestIdentity {
  let inForce: SecretSnapshot | undefined;
  let key: KeyObject | undefined;
  return async ({ deadlineMs: attemptMs, signal }) => {
    const startedAtMs = clock.monotonicMs();
    const own = authority.tokenPath === undefined ? undefined : await readToken(authority.tokenPath);
    const subject = own?.token === undefined ? undefined : claimsOf(own.token).subject;
    const { spiffeId, problem } = workloadSpiffeId(authority.names, subject);
    if (problem !== undefined)
      throw new AuthorityError(own?.problem ? `${problem}; ${own.problem}` : problem, 'credential');
    key ??= await generateKey(authority.keyAlgorithm);
    // When it is due: an agent with files for its identity never loads it.
    const { createSigningRequest } = await import('./signing-request.ts');
    const request = {
      csr: await createSigningRequest(spiffeId, key),
      validitySeconds: BigInt(Math.max(1, Math.floor(authority.lifetimeMs / 1000))),
      metadata: new Map<string, string>(),
    };
    const token = await shownToken(authority, own, { deadlineMs: attemptMs, signal });
    const deadlineMs = Math.max(1, attemptMs - (clock.monotonicMs() - startedAtMs));
    const announcedRoots = authority.isMeshRoot ? (inForce?.rootCertificates ?? '') : '';
    const response = await requestCertificate(authority, { request, token, announcedRoots, deadlineMs, signal });
    const privateKey = formatKey(key, authority.isPkcs8);
    key = undefined;
    const expected = { privateKey, spiffeId, knownRoots: await knownRoots(authority, inForce) };
    const checked = checkAnswer(response, expected, clock.wallMs());
    if (checked.problem !== undefined) throw new AuthorityError(checked.problem, 'soon');
    inForce = checked.snapshot;
    return checked.snapshot;
  };
}

import { mergeRoots, shareRoot, splitCertificates } from '../certificates/roots.ts';
import type { CertificateResponse } from './ca-protocol.ts';
import { checkIdentity, type TextNames } from './check.ts';
import type { IdentityCheck } from './snapshot.ts';

/** What an answer must fit. */
export interface Expected {
  /** PEM of the key that the request was signed with. */
  readonly privateKey: string;
  readonly spiffeId: string;
  /**
   * Roots known so far, PEM; empty when none is. A change of roots goes over a bundle that holds the old and the new
   * one, so an answer that shares no root with them is refused.
   */
  readonly knownRoots: string;
}

const names: TextNames = {
  certificateChain: 'the chain',
  privateKey: 'the key of the request',
  rootCertificates: 'the roots of the answer',
};

/**
 * Checks an authority's answer before anything of it is used: at least two elements, the leaf of our key, exactly one
 * URI SAN and that the identity asked for, a chain to a root of the last element, everything valid at `nowMs`.
 */
export function checkAnswer(
  { certificateChain }: CertificateResponse,
  expected: Expected,
  nowMs: number,
): IdentityCheck {
  if (certificateChain.length < 2) {
    return refused(`it has ${certificateChain.length} elements; a chain and its root are at least 2`);
  }
  const chain = certificateChain.slice(0, -1).join('\n');
  const roots = certificateChain.at(-1) ?? '';
  const found = checkIdentity(
    { certificateChain: chain, privateKey: expected.privateKey, rootCertificates: roots },
    nowMs,
    names,
  );
  if (found.problem !== undefined) return refused(found.problem);
  const { spiffeId } = found.snapshot;
  if (spiffeId !== expected.spiffeId) return refused(`it is for ${spiffeId}, and ${expected.spiffeId} was asked for`);
  if (expected.knownRoots !== '' && !shareRoot(expected.knownRoots, roots)) {
    return refused('none of its roots is known; a change of roots needs an answer with the old and the new one');
  }
  return {
    snapshot: {
      ...found.snapshot,
      certificateChain: splitCertificates(chain).join(''),
      rootCertificates: mergeRoots(roots),
    },
  };
}

function refused(problem: string): IdentityCheck {
  return { problem: `the authority's answer is refused: ${problem}` };
}

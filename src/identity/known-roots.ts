import { authoritiesProblem } from '../certificates/check-pair.ts';
import { readNamedText } from '../lib/read-file.ts';
import { type AuthorityOptions, isPlaintext } from './authority.ts';
import type { SecretSnapshot } from './snapshot.ts';

/**
 * The mesh's roots as far as they are known before an answer: those of the file where it holds the mesh's, and those in
 * force. An authority that a platform's root vouches for may bring other ones: it is known by that root, and what is in
 * force is only what it said before.
 */
export async function knownRoots(authority: AuthorityOptions, inForce: SecretSnapshot | undefined): Promise<string> {
  const own = inForce?.rootCertificates ?? '';
  if (!authority.isMeshRoot) return isPlaintext(authority.address) ? own : '';
  const file = await readNamedText(authority.rootPath, 'latin1').catch(() => '');
  return (authoritiesProblem(file) === undefined ? file : '') + own;
}

import { authoritiesProblem } from '../certificates/check-pair.ts';
import { hasNewRoot } from '../certificates/roots.ts';
import type { Clock } from '../lib/clock.ts';
import { readNamedText } from '../lib/read-file.ts';
import { type Watch, watchPaths } from '../watch/watch.ts';
import type { AuthorityOptions } from './authority.ts';

/** What a fleet that learns of a new root at one moment is spread over, at most. */
const longestSpreadMs = 10_000;

export interface RootObserver {
  /** Roots in force now, PEM; empty when none are. */
  inForce(): string;
  /** The file holds a root that is not in force; told a random time later. */
  onNewRoot(): void;
}

/**
 * Follows the file of the mesh's roots: one that appears there is learned with a certificate that is asked for now, not
 * with the next renewal half a lifetime later. A platform's roots are not followed.
 */
export async function watchRoots(authority: AuthorityOptions, observer: RootObserver, clock: Clock): Promise<Watch> {
  const { rootPath, isMeshRoot, lifetimeMs } = authority;
  if (!isMeshRoot) return { close: () => undefined };
  const end = new AbortController();
  const isNew = async (): Promise<boolean> => {
    const text = await readNamedText(rootPath, 'latin1').catch(() => '');
    const inForce = observer.inForce();
    return inForce !== '' && authoritiesProblem(text) === undefined && hasNewRoot(text, inForce);
  };
  const look = async (): Promise<void> => {
    if (!(await isNew())) return;
    await clock.sleep(clock.random() * Math.min(longestSpreadMs, lifetimeMs / 10), end.signal);
    // A renewal may have brought it meanwhile.
    if (!end.signal.aborted && (await isNew())) observer.onNewRoot();
  };
  const watch = await watchPaths([rootPath], { onChange: () => void look() });
  return {
    close: () => {
      end.abort();
      watch.close();
    },
  };
}

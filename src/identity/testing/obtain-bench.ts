import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import type { AuthorityOptions } from '../authority.ts';
import { identityRequests } from '../obtain.ts';
import type { SecretSnapshot } from '../snapshot.ts';
import { authorityIn, startTestAuthority, type TestAuthority, type TestAuthorityOptions } from './test-authority.ts';

/** A folder and an authority of one test, and requests to it. */
export interface ObtainBench {
  readonly folder: string;
  readonly authority: TestAuthority;
  /** Another authority in place of this one. */
  serve(options: TestAuthorityOptions): Promise<void>;
  /** One request of an agent with these options. */
  ask(changes?: Partial<AuthorityOptions>): Promise<SecretSnapshot>;
  close(): Promise<void>;
}

/** Starts the CA; the folder holds what the agent reads. */
export async function startObtainBench(): Promise<ObtainBench> {
  const folder = await mkdtemp(join(tmpdir(), 'obtain-'));
  let authority = await startTestAuthority();
  return {
    folder,
    get authority() {
      return authority;
    },
    serve: async (options) => {
      authority.close();
      authority = await startTestAuthority(options);
    },
    ask: async (changes = {}) => identityRequests(await authorityIn(folder, authority, changes), systemClock)(attempt),
    close: async () => {
      authority.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** How long one request may take. */
export const attempt = { deadlineMs: 5_000, signal: new AbortController().signal };

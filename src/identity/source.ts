import { type Clock, systemClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import type { OutgoingObserver } from '../lib/outgoing-observer.ts';
import type { AuthorityOptions } from './authority.ts';
import { openIdentityFiles } from './files.ts';
import { CertificateKeeper } from './keeper.ts';
import { identityRequests } from './obtain.ts';
import type { RenewalTrouble } from './renewal-report.ts';
import { watchRoots } from './root-watch.ts';
import type { SecretSnapshot } from './snapshot.ts';

/** Where the workload's identity comes from, running. */
export interface IdentitySource {
  /** Why there is no good identity now; undefined when there is one. */
  readonly problem: string | undefined;
  close(): Promise<void>;
}

export interface IdentitySourceOptions {
  /** Wins over files: with an authority, the pair in them is what the agent shows to it. */
  readonly authority: AuthorityOptions | undefined;
  readonly folder: string | undefined;
  readonly log: PlainLog;
  readonly outgoing?: OutgoingObserver;
  readonly clock?: Clock;
  readonly onSnapshot: (snapshot: SecretSnapshot) => void;
}

/**
 * Starts the authority's client, which is not waited for, or reads the files, whose first state is known when this
 * resolves; a source that never gives anything when neither is there.
 */
export async function openIdentitySource(options: IdentitySourceOptions): Promise<IdentitySource> {
  if (options.authority !== undefined) return keepRenewed(options.authority, options);
  if (options.folder !== undefined) return follow(options.folder, options);
  return { problem: undefined, close: () => Promise.resolve() };
}

async function keepRenewed(authority: AuthorityOptions, options: IdentitySourceOptions): Promise<IdentitySource> {
  const { log, outgoing, clock = systemClock } = options;
  let current: SecretSnapshot | undefined;
  const { graceRatio, checkIntervalMs, initialBackoffMs } = authority;
  const keeper = new CertificateKeeper({
    request: identityRequests(authority, clock),
    graceRatio,
    checkIntervalMs,
    initialBackoffMs,
    clock,
    observer: {
      onSnapshot: (snapshot) => {
        current = snapshot;
        options.onSnapshot(snapshot);
      },
      onTrouble: (trouble) => tell(trouble, keeper, log),
    },
    ...(outgoing === undefined ? {} : { outgoing }),
  });
  keeper.start();
  const onNewRoot = (): void => {
    log.info('the mesh has a new root: the certificate is renewed');
    keeper.renew();
  };
  const roots = await watchRoots(authority, { inForce: () => current?.rootCertificates ?? '', onNewRoot }, clock);
  return {
    get problem() {
      return keeper.problem;
    },
    close: async () => {
      roots.close();
      await keeper.close();
    },
  };
}

function tell({ gravity, message, nextAttemptMs }: RenewalTrouble, keeper: CertificateKeeper, log: PlainLog): void {
  const { notAfterMs } = keeper;
  const what = notAfterMs === undefined ? 'there is no certificate yet' : 'the certificate cannot be renewed';
  const fields = { nextAttemptMs: Math.round(nextAttemptMs) };
  const expires = notAfterMs === undefined ? {} : { expires: new Date(notAfterMs).toISOString() };
  log[gravity](`${what}: ${message}`, { ...fields, ...expires });
}

async function follow(folder: string, { log, onSnapshot }: IdentitySourceOptions): Promise<IdentitySource> {
  let current: SecretSnapshot | undefined;
  let problem: string | undefined;
  const watch = await openIdentityFiles(folder, {
    onSnapshot: (snapshot) => {
      current = snapshot;
      problem = undefined;
      onSnapshot(snapshot);
    },
    onProblem: (text) => {
      problem = text;
      log.error(`the identity is not taken: ${text}`);
    },
  });
  return {
    get problem() {
      return current === undefined ? problem : undefined;
    },
    close: () => Promise.resolve(watch.close()),
  };
}

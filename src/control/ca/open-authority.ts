import { randomInt } from 'node:crypto';
import { delay } from '../../lib/abort.ts';
import type { ReadClock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { watchPaths } from '../../watch/watch.ts';
import { ControlError } from '../control-error.ts';
import { CertificateAuthority } from './authority.ts';
import { isKeyExposed } from './exposed-key.ts';
import { hasPluggedIn, pluggedInKey, readPluggedIn } from './plugged-in.ts';
import { openSecretAuthority, type SecretPlace } from './secret-authority.ts';
import { openSelfSigned, selfSignedKey } from './self-signed.ts';
import type { CheckedAuthority } from './signer.ts';

export interface AuthorityOptions {
  /** Folder of a plugged-in authority, or of one that we make; undefined: the two usual places. */
  readonly folder: string | undefined;
  /** Where an authority is whose files are not there, and no folder is named; absent: in the usual folder. */
  readonly secrets?: SecretPlace | undefined;
  readonly trustDomain: string;
  readonly keyAlgorithm: 'ECDSA' | 'RSA';
  readonly clock: ReadClock;
  readonly log: PlainLog;
  /** Called when what the folder holds now is refused. */
  readonly refused?: () => void;
  /** Between two looks at how long a root of our own has left, give or take a half; a day by default. */
  readonly renewalCheckMs?: number;
  /** For so long, in milliseconds, a start waits for Secrets that cannot be read; a minute by default. */
  readonly startMs?: number;
  /** Ends that wait. */
  readonly stop?: AbortSignal | undefined;
}

/** A CA that follows changes of its files. */
export interface OpenAuthority {
  readonly authority: CertificateAuthority;
  close(): void;
}

const pluggedInFolder = './etc/cacerts';
const selfSignedFolder = './var/lib/mesh/ca';

/**
 * Opens the CA of the folder, or of the cluster's Secrets. If any file of an operator's CA exists, all must exist and be
 * valid, because another root in its place would cut off every workload. Throws `ControlError` with the reason.
 */
export async function openAuthority(options: AuthorityOptions): Promise<OpenAuthority> {
  const { clock, log } = options;
  const folder = options.folder ?? pluggedInFolder;
  if (await hasPluggedIn(folder)) return await openPluggedIn(folder, options);
  if (options.folder === undefined && options.secrets !== undefined)
    return await openSecretAuthority({ renewalCheckMs: dayMs, ...options, ...options.secrets });
  const own = options.folder ?? selfSignedFolder;
  const signer = await openSelfSigned({ ...options, folder: own });
  log.info('the certificate authority is self-signed', { folder: own, root: signer.rootFingerprint });
  await warnIfExposed(own, selfSignedKey, log);
  const authority = new CertificateAuthority(signer, clock);
  return { authority, close: keepSelfSigned(authority, { ...options, folder: own }) };
}

const dayMs = 86_400_000;

/**
 * A program that runs for years renews its root as a start would, and takes what another one on the same folder renewed.
 * Programs that started together do not look at the same moment: of two renewals at once one would be lost.
 */
function keepSelfSigned(authority: CertificateAuthority, options: AuthorityOptions & { readonly folder: string }) {
  const { log, refused, renewalCheckMs = dayMs } = options;
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const look = async (): Promise<void> => {
    try {
      const before = authority.signer;
      // The next start would sign with another root that was made in its place.
      const problem = authority.adopt(await openSelfSigned({ ...options, mustBeThere: true }));
      if (problem !== undefined) throw new Error(problem);
      if (authority.signer !== before) log.info('the root was renewed', { root: authority.signer.rootFingerprint });
    } catch (error) {
      refused?.();
      log.error('the certificate authority stays as it was', { reason: (error as Error).message });
    }
    if (isOpen) wait();
  };
  const wait = (): void => {
    timer = setTimeout(() => void look(), renewalCheckMs / 2 + randomInt(renewalCheckMs));
  };
  wait();
  return (): void => {
    isOpen = false;
    clearTimeout(timer);
  };
}

async function warnIfExposed(folder: string, keyFile: string, log: PlainLog): Promise<void> {
  if (!(await isKeyExposed(folder, keyFile))) return;
  log.warn('everybody can read the key of the certificate authority, or put another one in its place', { folder });
}

async function openPluggedIn(folder: string, { clock, log, refused }: AuthorityOptions): Promise<OpenAuthority> {
  let wanted = false;
  let reread = (): void => {
    wanted = true;
  };
  // Watched first: a change during the first reading is not missed.
  const watch = await watchPaths([folder], { onChange: () => reread() });
  const { signer, problem } = await readSettled(folder, clock);
  if (signer === undefined) {
    watch.close();
    throw new ControlError('authority-unusable', problem);
  }
  log.info('the certificate authority is plugged in', { folder, root: signer.rootFingerprint });
  await warnIfExposed(folder, await pluggedInKey(folder), log);
  const authority = new CertificateAuthority(signer, clock);
  let reading = Promise.resolve();
  let told: string | undefined;
  reread = () => {
    reading = reading.then(async () => {
      const reason = await adoptFrom(folder, authority, clock, log);
      if (reason !== undefined && reason !== told) {
        refused?.();
        log.error('the certificate authority stays as it was', { reason });
      }
      told = reason;
    });
  };
  if (wanted) reread();
  return { authority, close: () => watch.close() };
}

/** Why what the folder holds now is not in force; undefined when it is. */
async function adoptFrom(
  folder: string,
  authority: CertificateAuthority,
  clock: ReadClock,
  log: PlainLog,
): Promise<string | undefined> {
  const { signer, problem } = await readSettled(folder, clock);
  if (signer === undefined) return problem;
  const before = authority.signer;
  const refused = authority.adopt(signer);
  if (refused !== undefined) return refused;
  if (authority.signer === before) return undefined;
  log.info('another certificate authority is in force', {
    root: signer.rootFingerprint,
    authority: signer.fingerprint,
  });
  if (!before.rootFingerprints.has(signer.rootFingerprint)) {
    log.warn('workloads that have not renewed since do not trust the root that signs now', {
      root: signer.rootFingerprint,
    });
  }
  return undefined;
}

const readAgainMs = 250;
const readings = 5;

/** Files that are written one after the other do not match for a moment: only what stays wrong is. */
async function readSettled(folder: string, clock: ReadClock): Promise<CheckedAuthority> {
  for (let reading = 1; ; reading++) {
    const check = await readPluggedIn(folder, clock());
    if (check.problem === undefined || reading === readings) return check;
    await delay(readAgainMs);
  }
}

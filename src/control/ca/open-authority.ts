import { watchPaths } from '../../identity/watch.ts';
import { delay } from '../../lib/abort.ts';
import { ControlError } from '../control-error.ts';
import type { Clock, ControlLog } from '../control-log.ts';
import { CertificateAuthority } from './authority.ts';
import { isKeyExposed } from './exposed-key.ts';
import { hasPluggedIn, pluggedInKey, readPluggedIn } from './plugged-in.ts';
import { openSelfSigned, selfSignedKey } from './self-signed.ts';
import type { CheckedAuthority } from './signer.ts';

export interface AuthorityOptions {
  /** Folder of a plugged-in authority, or of one that we make; undefined: the two usual places. */
  readonly folder: string | undefined;
  readonly trustDomain: string;
  readonly keyAlgorithm: 'ECDSA' | 'RSA';
  readonly clock: Clock;
  readonly log: ControlLog;
}

/** An authority that follows its files. */
export interface OpenAuthority {
  readonly authority: CertificateAuthority;
  close(): void;
}

const pluggedInFolder = './etc/cacerts';
const selfSignedFolder = './var/lib/mesh/ca';

/**
 * The authority of the folder. Where any file of a plugged-in one is there, all must be, and be good: another root in
 * its place would cut every workload off. `ControlError` says what is wrong.
 */
export async function openAuthority(options: AuthorityOptions): Promise<OpenAuthority> {
  const { clock, log } = options;
  const folder = options.folder ?? pluggedInFolder;
  if (await hasPluggedIn(folder)) return await openPluggedIn(folder, options);
  const own = options.folder ?? selfSignedFolder;
  const signer = await openSelfSigned({ ...options, folder: own });
  log.info('the certificate authority is self-signed', { folder: own, root: signer.rootFingerprint });
  await warnIfExposed(own, selfSignedKey, log);
  return { authority: new CertificateAuthority(signer, clock), close: () => undefined };
}

async function warnIfExposed(folder: string, keyFile: string, log: ControlLog): Promise<void> {
  if (!(await isKeyExposed(folder, keyFile))) return;
  log.warn('everybody can read the key of the certificate authority, or put another one in its place', { folder });
}

async function openPluggedIn(folder: string, { clock, log }: AuthorityOptions): Promise<OpenAuthority> {
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
  await warnIfExposed(folder, pluggedInKey, log);
  const authority = new CertificateAuthority(signer, clock);
  let reading = Promise.resolve();
  let told: string | undefined;
  reread = () => {
    reading = reading.then(async () => {
      const reason = await adoptFrom(folder, authority, clock, log);
      if (reason !== undefined && reason !== told) {
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
  clock: Clock,
  log: ControlLog,
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
async function readSettled(folder: string, clock: Clock): Promise<CheckedAuthority> {
  for (let reading = 1; ; reading++) {
    const check = await readPluggedIn(folder, clock());
    if (check.problem === undefined || reading === readings) return check;
    await delay(readAgainMs);
  }
}

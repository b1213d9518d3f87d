import { join } from 'node:path';
import { readNamedFile } from '../lib/read-file.ts';
import { type Watch, watchPaths } from '../watch/watch.ts';
import { checkIdentity } from './check.ts';
import type { IdentityCheck, IdentityTexts, SecretSnapshot } from './snapshot.ts';

/** Who hears of an identity that comes from files. */
export interface IdentityObserver {
  /** A new identity is good; called also for the first one. */
  readonly onSnapshot: (snapshot: SecretSnapshot) => void;
  /** The files hold no good identity; the last valid one stays in force. Told once a reason. */
  readonly onProblem: (problem: string) => void;
}

/** Names of the files in the folder that PROV_CERT names. */
const identityFileNames = {
  certificateChain: 'cert-chain.pem',
  privateKey: 'key.pem',
  rootCertificates: 'root-cert.pem',
} as const;

/** A certificate longer than this is none. */
const longestFileBytes = 1_048_576;

/**
 * Reads the identity in `folder`, and again whenever its files change (also by a swap of the symlink `..data`). The
 * observer has heard of the first state when this resolves. Files that are written one after the other do not match
 * for a moment; that is reported only when it lasts.
 */
export async function openIdentityFiles(folder: string, observer: IdentityObserver): Promise<Watch> {
  const source = new IdentityFiles(folder, observer);
  await source.open();
  return source;
}

/** Reads and checks the identity in `folder` once, at `nowMs`. */
async function readIdentityFiles(folder: string, nowMs: number): Promise<IdentityCheck> {
  const texts: Partial<Record<keyof IdentityTexts, string>> = {};
  for (const [key, name] of Object.entries(identityFileNames)) {
    const path = join(folder, name);
    try {
      const bytes = await readNamedFile(path);
      if (bytes.length > longestFileBytes) return { problem: `"${path}" is larger than ${longestFileBytes} bytes` };
      texts[key as keyof IdentityTexts] = bytes.toString('latin1');
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      return { problem: `cannot read "${path}" (${code})` };
    }
  }
  const check = checkIdentity(texts as IdentityTexts, nowMs);
  return check.problem === undefined ? check : { problem: `in "${folder}": ${check.problem}` };
}

class IdentityFiles implements Watch {
  readonly #folder: string;
  readonly #observer: IdentityObserver;
  #watch: Watch | undefined;
  #isOpen = true;
  #current: SecretSnapshot | undefined;
  #problem: string | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(folder: string, observer: IdentityObserver) {
    this.#folder = folder;
    this.#observer = observer;
  }

  async open(): Promise<void> {
    // Watched first: a change during the first reading is not missed.
    this.#watch = await watchPaths([this.#folder], { onChange: () => this.#readNext() });
    this.#readNext();
    await this.#reading;
  }

  close(): void {
    this.#isOpen = false;
    this.#watch?.close();
  }

  #readNext(): void {
    this.#reading = this.#reading.then(() => this.#read());
  }

  async #read(): Promise<void> {
    const check = await readIdentityFiles(this.#folder, Date.now());
    if (!this.#isOpen) return;
    if (check.problem !== undefined) {
      if (check.problem !== this.#problem) this.#observer.onProblem(check.problem);
      this.#problem = check.problem;
      return;
    }
    this.#problem = undefined;
    if (isSame(this.#current, check.snapshot)) return;
    this.#current = check.snapshot;
    this.#observer.onSnapshot(check.snapshot);
  }
}

function isSame(a: SecretSnapshot | undefined, b: SecretSnapshot): boolean {
  return (
    a?.certificateChain === b.certificateChain &&
    a.privateKey === b.privateKey &&
    a.rootCertificates === b.rootCertificates
  );
}

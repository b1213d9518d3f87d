import { randomBytes } from 'node:crypto';
import { link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';
import { ControlError } from '../control-error.ts';
import { isRenewalDue, makeOwnRoot, type OwnRoot, type OwnRootOptions, renewOwnRoot } from './own-root.ts';
import { createSigner, type Signer } from './signer.ts';

/** Settings of a self-signed CA. */
export interface SelfSignedOptions extends OwnRootOptions {
  /** Made with mode 0700. */
  readonly folder: string;
  /** A root that is gone is said to be, and no other made in its place. */
  readonly mustBeThere?: boolean;
}

/** File with certificate and key together, so that neither can exist without the other; earlier roots follow them. */
export const selfSignedKey = 'self-signed-ca.pem';
/** The root alone, for those who must trust it. */
const rootFileName = 'self-signed-root.pem';
const layout = '# certificate authority of meshd, layout 1\n';

/**
 * Opens the self-signed CA in the folder; the first start creates it. The file appears complete or not at all. If two
 * programs start together, the second one uses the file of the first. A program that is killed meanwhile leaves no file that
 * is read later.
 */
export async function openSelfSigned(options: SelfSignedOptions): Promise<Signer> {
  const { folder } = options;
  const path = join(folder, selfSignedKey);
  try {
    const text = await readOrMake(path, options);
    await removeLeftovers(folder, options.clock());
    const signer = await renewed(parse(text, path, options.clock()), path, options);
    await replaceDurably(join(folder, rootFileName), signer.roots, 0o644);
    return signer;
  } catch (cause) {
    if (cause instanceof ControlError) throw cause;
    throw new ControlError('authority-unwritable', `cannot keep a certificate authority in "${folder}"`, { cause });
  }
}

async function readOrMake(path: string, options: SelfSignedOptions): Promise<string> {
  const { folder, mustBeThere = false } = options;
  if (!mustBeThere) await makeFolder(folder);
  const text = await readIfThere(path);
  if (text === undefined && mustBeThere) throw new ControlError('authority-unusable', `"${path}" is gone`);
  return text ?? (await make(path, options));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function make(path: string, options: SelfSignedOptions): Promise<string> {
  const temporary = await writeDurably(path, textOf(await makeOwnRoot(options)), 0o600);
  try {
    // Unlike a rename, a link never replaces: the first one wins.
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(options.folder);
  return await readFile(path, 'latin1');
}

/** A root in the last fifth of its life is renewed. */
async function renewed(signer: Signer, path: string, options: SelfSignedOptions): Promise<Signer> {
  const nowMs = options.clock();
  if (!isRenewalDue(signer, nowMs)) return signer;
  const { before, ...root } = await renewOwnRoot(signer, options.clock);
  await replaceDurably(path, textOf(root) + before, 0o600);
  return parse((await readIfThere(path)) ?? '', path, nowMs);
}

/** The text of the file: layout, certificate and key. */
function textOf({ certificate, privateKey }: OwnRoot): string {
  return layout + certificate + privateKey;
}

function parse(text: string, path: string, nowMs: number): Signer {
  if (!text.startsWith(layout)) {
    throw new ControlError('authority-unusable', `"${path}" has no layout that this version knows`);
  }
  const roots = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n/g) ?? [];
  const privateKey = /-----BEGIN PRIVATE KEY-----[^-]*-----END PRIVATE KEY-----\n/.exec(text)?.[0] ?? '';
  const { signer, problem } = createSigner(
    { certificate: roots[0] ?? '', privateKey, chain: '', roots: roots.join('') },
    nowMs,
  );
  if (signer !== undefined) return signer;
  const said = problem.replaceAll(/(ca|root)-cert\.pem|ca-key\.pem/g, (file) =>
    file === 'ca-key.pem' ? 'its key' : 'its certificate',
  );
  throw new ControlError('authority-unusable', `the certificate authority in "${path}" cannot be used: ${said}`);
}

const temporaryName = /^self-signed-(ca|root)\.pem\.[0-9a-f]{16}\.new$/;

/** Younger ones may be in the making. */
const leftAfterMs = 60_000;

/** What was killed on the way left files that nobody uses. */
async function removeLeftovers(folder: string, nowMs: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => temporaryName.test(name));
  for (const path of names.map((name) => join(folder, name))) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < nowMs - leftAfterMs) await rm(path, { force: true });
  }
}

/** Replaces the text of a file where it differs. */
async function replaceDurably(path: string, text: string, mode: number): Promise<void> {
  if ((await readIfThere(path)) === text) return;
  const temporary = await writeDurably(path, text, mode);
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** A new file beside its place, with its text on the disk; gives its name. */
async function writeDurably(path: string, text: string, mode: number): Promise<string> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.new`;
  const file = await open(temporary, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
    return temporary;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { delay } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { readNamedText } from '../../lib/read-file.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { watchPaths } from '../../watch/watch.ts';
import { ControlError } from '../control-error.ts';
import type { ServerPair } from './server-pair.ts';

const chainFile = 'cert-chain.pem';
const keyFile = 'key.pem';
const rootFile = 'self-signed-root.pem';

/**
 * Writes the server's certificate and key, and the roots: files with mode 0600, each by a rename; a folder that is created
 * has mode 0700.
 */
export async function writePair(folder: string, pair: ServerPair, roots: string): Promise<void> {
  try {
    await makeFolder(folder);
    await replaceFile(join(folder, keyFile), pair.privateKey, 0o600);
    await replaceFile(join(folder, chainFile), pair.certificateChain, 0o600);
    await replaceFile(join(folder, rootFile), roots, 0o600);
  } catch (cause) {
    throw new ControlError('server-certificate-unusable', `cannot write the server certificate to "${folder}"`, {
      cause,
    });
  }
}

/** Uses the certificate and key in a folder of the operator, and each valid replacement. */
export async function followPair(
  folder: string,
  use: (pair: ServerPair) => Promise<void>,
  log: PlainLog,
): Promise<{ close(): void }> {
  let reading = Promise.resolve();
  const watch = await watchPaths([folder], {
    onChange: () => {
      reading = reading.then(async () => {
        const pair = await readSettled(folder);
        if (typeof pair !== 'string') await use(pair);
        else log.error('the server certificate stays as it was', { reason: pair });
      });
    },
  });
  const pair = await readSettled(folder);
  if (typeof pair === 'string') {
    watch.close();
    throw new ControlError('server-certificate-unusable', pair);
  }
  await use(pair);
  return watch;
}

const readAgainMs = 250;
const readings = 5;

/** Two files that are written one after the other do not match for a moment. */
async function readSettled(folder: string): Promise<ServerPair | string> {
  for (let reading = 1; ; reading++) {
    const pair = await readPair(folder);
    if (typeof pair !== 'string' || reading === readings) return pair;
    await delay(readAgainMs);
  }
}

/** The pair, or why it is none; what the files hold is never quoted. */
async function readPair(folder: string): Promise<ServerPair | string> {
  const texts: string[] = [];
  for (const path of [join(folder, chainFile), join(folder, keyFile)]) {
    try {
      texts.push(await readNamedText(path, 'latin1'));
    } catch (error) {
      return `cannot read "${path}" (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`;
    }
  }
  const [certificateChain = '', privateKey = ''] = texts;
  try {
    const leaf = new X509Certificate(certificateChain);
    if (!leaf.checkPrivateKey(createPrivateKey(privateKey)))
      return `in "${folder}": ${keyFile} is not the key of ${chainFile}`;
    return {
      certificateChain,
      privateKey,
      notBeforeMs: Date.parse(leaf.validFrom),
      notAfterMs: Date.parse(leaf.validTo),
    };
  } catch {
    // OpenSSL's reasons could quote a key file.
    return `in "${folder}": ${chainFile} or ${keyFile} cannot be parsed`;
  }
}

import type { PlainLog } from '../../lib/log.ts';
import { readNamedText } from '../../lib/read-file.ts';
import { type Watch, watchPaths } from '../../watch/watch.ts';

/** The certificates of a PEM file; a file without one is an error. */
export async function readIssuerRoots(path: string): Promise<string> {
  const text = await readNamedText(path, 'latin1');
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`"${path}" holds no certificate`);
  return text;
}

/**
 * Calls `use` with the file's certificates whenever they have changed; after an invalid change the previous ones stay active.
 */
export function followIssuerRoots(path: string, use: (roots: string) => void, log: PlainLog): Promise<Watch> {
  const read = async (): Promise<void> => {
    try {
      use(await readIssuerRoots(path));
      log.info("the issuer's server is verified with other certificates", { file: path });
    } catch (error) {
      log.error("the certificates to verify the issuer's server with stay as they were", {
        reason: (error as Error).message,
      });
    }
  };
  let reading = Promise.resolve();
  return watchPaths([path], {
    onChange: () => {
      reading = reading.then(read);
    },
  });
}

import { readNamedText } from '../lib/read-file.ts';

/** The certificates of a file, PEM. Throws where it holds none: nothing may be checked with the roots of the system. */
export async function readMeshRoots(path: string): Promise<string> {
  const text = await readNamedText(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`cannot read the root certificate "${path}" (${error.code ?? 'unreadable'})`);
  });
  if (!/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(text)) {
    throw new Error(`"${path}" holds no certificate`);
  }
  return text;
}

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { PlainLog } from '../../lib/log.ts';
import { readNamedFile } from '../../lib/read-file.ts';
import { watchPaths } from '../../watch/watch.ts';
import { ControlError } from '../control-error.ts';
import type { TokenKey, TokenKeys } from './token.ts';

const longestFileBytes = 1_048_576;

/**
 * Reads keys from a file: a JSON Web Key Set, or public keys as PEM. The file is read again when it changes; if it then
 * contains no key, the previous keys stay active.
 */
export async function openKeyFile(path: string, issuer: string | undefined, log: PlainLog): Promise<TokenKeys> {
  let current: readonly TokenKey[] = [];
  let isRead = false;
  const read = async (): Promise<void> => {
    const result = await readKeys(path);
    if (typeof result !== 'string') current = result;
    else if (!isRead) throw new ControlError('token-keys-unusable', result);
    else log.error('the keys of tokens stay as they were', { reason: result });
  };
  let reading = Promise.resolve();
  const watch = await watchPaths([path], {
    onChange: () => {
      reading = reading.then(read);
    },
  });
  try {
    await read();
  } catch (error) {
    watch.close();
    throw error;
  }
  isRead = true;
  return { issuer, keys: async () => current, close: () => watch.close() };
}

async function readKeys(path: string): Promise<readonly TokenKey[] | string> {
  let text: string;
  try {
    const bytes = await readNamedFile(path);
    if (bytes.length > longestFileBytes) return `"${path}" is larger than ${longestFileBytes} bytes`;
    text = bytes.toString('utf8');
  } catch (error) {
    return `cannot read the keys of tokens "${path}" (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`;
  }
  const keys = text.trimStart().startsWith('{') ? parseKeySet(text) : parsePem(text);
  return keys.length > 0
    ? keys
    : `"${path}" holds no public key: a JSON Web Key Set, or PUBLIC KEY in PEM, is expected`;
}

/** The usable public keys of a JSON Web Key Set (RFC 7517, 5); other keys are ignored. */
export function parseKeySet(text: string): readonly TokenKey[] {
  let set: { readonly keys?: unknown };
  try {
    set = JSON.parse(text) as typeof set;
  } catch {
    // The parser's own message quotes the text.
    return [];
  }
  if (!Array.isArray(set.keys)) return [];
  return (set.keys as readonly JsonWebKey[]).flatMap((jwk) => {
    const { kid, alg, use } = jwk as { readonly kid?: unknown; readonly alg?: unknown; readonly use?: unknown };
    if (use !== undefined && use !== 'sig') return [];
    const key = publicKeyOf({ key: jwk, format: 'jwk' });
    if (key === undefined) return [];
    return [
      { id: typeof kid === 'string' ? kid : undefined, algorithm: typeof alg === 'string' ? alg : undefined, key },
    ];
  });
}

function parsePem(text: string): readonly TokenKey[] {
  const blocks = text.match(/-----BEGIN (?:RSA )?PUBLIC KEY-----[^-]*-----END (?:RSA )?PUBLIC KEY-----/g) ?? [];
  return blocks.flatMap((block) => {
    const key = publicKeyOf(block);
    return key === undefined ? [] : [{ id: undefined, algorithm: undefined, key }];
  });
}

function publicKeyOf(input: Parameters<typeof createPublicKey>[0]): KeyObject | undefined {
  try {
    return createPublicKey(input);
  } catch {
    // Symmetric and unknown keys are no public keys.
    return undefined;
  }
}

import { InvalidArgumentError } from 'commander';
import type { KeySetOption } from '../../live/key-sets/key-set-option.ts';

/** Takes in one `ISSUER=FILE`. The file is what stands after the last `=`: issuers are URLs, which may hold one. */
export function parseKeySetOption(value: string, before: readonly KeySetOption[] = []): readonly KeySetOption[] {
  const cut = value.lastIndexOf('=');
  const [issuer, path] = [value.slice(0, Math.max(cut, 0)), value.slice(cut + 1)];
  if (issuer === '' || path === '') throw new InvalidArgumentError('Expected ISSUER=FILE.');
  if (before.some((other) => other.issuer === issuer)) throw new InvalidArgumentError(`"${issuer}" is named twice.`);
  return [...before, { issuer, path }];
}

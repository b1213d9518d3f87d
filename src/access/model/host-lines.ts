import type { HttpRequest } from '../request.ts';
import { lowerCase } from './bytes.ts';

/** The authority of a request of HTTP/1 with further lines for the host, which Envoy joins by commas. */
export function authorityOf({ authority, headers }: Pick<HttpRequest, 'authority' | 'headers'>): string {
  if (!headers.some(isHost)) return withoutBlanks(authority);
  const all = [authority, ...headers.filter(isHost).map(([, value]) => value)].map(withoutBlanks);
  return all.filter((value) => value !== '').join(',');
}

function withoutBlanks(value: string): string {
  return value === '' || (isInk(value, 0) && isInk(value, value.length - 1)) ? value : trimmed(value);
}

function isInk(value: string, at: number): boolean {
  return value.charCodeAt(at) > 0x20;
}

function trimmed(value: string): string {
  return value.replaceAll(/^[ \t]+|[ \t]+$/g, '');
}

/** Whether a line is one for the host. */
export function isHost([name]: HttpRequest['headers'][number]): boolean {
  return name.length === 4 && lowerCase(name) === 'host';
}

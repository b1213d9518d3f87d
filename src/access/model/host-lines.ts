import { withoutOuterBlanks } from '../../lib/header-text.ts';
import type { HttpRequest } from '../request.ts';
import { lowerCase } from './bytes.ts';

/** The authority of a request of HTTP/1 with further lines for the host, which Envoy joins by commas. */
export function authorityOf({ authority, headers }: Pick<HttpRequest, 'authority' | 'headers'>): string {
  if (!headers.some(isHost)) return withoutOuterBlanks(authority);
  const all = [authority, ...headers.filter(isHost).map(([, value]) => value)].map(withoutOuterBlanks);
  return all.filter((value) => value !== '').join(',');
}

/** Whether a line is one for the host. */
export function isHost([name]: HttpRequest['headers'][number]): boolean {
  return name.length === 4 && lowerCase(name) === 'host';
}

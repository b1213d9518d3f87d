import { type ServiceError, status } from '@grpc/grpc-js';

/** Of words of the other side. */
const longestWords = 300;

/** Why a gRPC call to `whom` failed, in one line. The library's words for a connection that fails are not for people. */
export function callFailure({ code, details }: Pick<ServiceError, 'code' | 'details'>, whom: string): string {
  const words = (details ?? '').replaceAll(/\s+/g, ' ').trim();
  const [isUnconnected, reason = ''] =
    /^No connection established(?:\. Last error: (?:Error: )?(.*?)(?:\. Resolution note:.*)?)?$/.exec(words) ?? [];
  if (isUnconnected !== undefined)
    return `cannot connect to ${whom}${reason === '' || reason === 'null' ? '' : `: ${reason}`}`;
  if (code === status.UNAVAILABLE && words === 'Connection dropped') return `the connection to ${whom} has broken off`;
  const shown = words.length > longestWords ? `${words.slice(0, longestWords)}…` : words;
  return `${whom} answers ${status[code] ?? 'with an error'}: ${shown}`;
}

/** How an application understands a request target. */
export interface TargetReading {
  /** Path as a conforming application reads it (RFC 3986): decoded once, dot segments and empty segments resolved. */
  readonly resource: string;
  /** What is left when the application also forgives a trailing slash, `;` parameters and case. */
  readonly alike: string;
}

/** A request as the application behind the proxy understands it. */
export interface RequestReading extends TargetReading {
  /** The target as it arrived. */
  readonly target: string;
  /** Without case: an application that compares methods so is asked for a POST by `post` too. */
  readonly method: string;
  /** Lower case, without user, port and trailing dot. */
  readonly host: string;
  /** The values of each header with its outer blanks cut off, lines and commas taken apart. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads a target as lenient as conforming applications are. Double encoding and overlong UTF-8 are not undone: who does
 * that (RFC 3629 section 3 forbids it) has a fault that no proxy can cover.
 */
export function readTarget(target: string): TargetReading {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const withoutParameters = decoded(path.replace(/;[^/]*/g, '')).replace(/;[^/]*/g, '');
  return {
    resource: resolved(decoded(path)),
    alike: resolved(withoutParameters)
      .toLowerCase()
      .replace(/(?<=.)\/$/, ''),
  };
}

/** `lines` are names and values in turn, as Node's `rawHeaders`. */
export function readRequest(
  method: string,
  target: string,
  authority: string,
  lines: readonly string[],
): RequestReading {
  const headers: Record<string, string[]> = {};
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = (lines[at] ?? '').toLowerCase();
    const values = (lines[at + 1] ?? '').split(',').map((value) => value.replace(/^[ \t]+|[ \t]+$/g, ''));
    headers[name] = [...(headers[name] ?? []), ...values];
  }
  const host = authority
    .toLowerCase()
    .replace(/^.*@/, '')
    .replace(/:[^:\]]*$/, '')
    .replace(/\.$/, '');
  return { target, method: method.toUpperCase(), host, headers, ...readTarget(target) };
}

/** One pass of percent-decoding, bytes to latin1: what is no escape stays. A text ends at a NUL for programs in C. */
function decoded(path: string): string {
  const text = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return text.replace(/\0.*$/s, '');
}

function resolved(path: string): string {
  const kept: string[] = [];
  const segments = path.replaceAll('\\', '/').split('/');
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const isFolder = ['', '.', '..'].includes(segments.at(-1) ?? '') && kept.length > 0;
  return `/${kept.join('/')}${isFolder ? '/' : ''}`;
}

import type { HeaderMatch } from '../lift/matchers.ts';
import type { Leaf } from '../lift/rbac.ts';
import { byteText } from '../model/bytes.ts';
import type { StringMatch } from '../model/string-match.ts';
import type { RequestView } from './request-view.ts';

/**
 * A text that a request has wherever a leaf of a condition holds, so that rules can be found by what a request has. The
 * reverse is not true: a request with the text may fail the leaf.
 */
export interface RuleKey {
  /** Equal for keys whose texts are read from a request in the same way. */
  readonly reading: string;
  readonly text: string;
  /** One text of a request, or several. */
  readonly read: (view: RequestView) => string | readonly string[];
  readonly leaf: Leaf;
}

/** The key of a leaf that wants a whole text, its beginning, a port or a block of addresses; undefined for all others. */
export function ruleKey(leaf: Leaf): RuleKey | undefined {
  const key = keyParts(leaf);
  return key && { ...key, leaf };
}

type KeyParts = Omit<RuleKey, 'leaf'>;

const none: readonly string[] = [];

function keyParts(leaf: Leaf): KeyParts | undefined {
  switch (leaf.kind) {
    case 'header':
      return headerKey(leaf.header);
    case 'path':
      return textKey('path', leaf.match, (view) => view.barePath);
    case 'identity':
      if (leaf.match === 'any') return undefined;
      return textKey('identity', leaf.match, (view) => view.connection.tls?.identities ?? none);
    case 'server-name':
      return textKey('server name', leaf.match, (view) => view.connection.tls?.serverName ?? '');
    case 'destination-port': {
      const read: KeyParts['read'] = (view) => String(view.connection.destination.port);
      return { reading: 'port', text: String(leaf.port), read };
    }
    case 'destination-ip':
      return blockKey('destination', leaf.block, (view) => view.destination);
    case 'direct-remote-ip':
      return blockKey('direct', leaf.block, (view) => view.direct);
    case 'remote-ip':
      return blockKey('remote', leaf.block, (view) => view.remote);
    case 'path-template':
    case 'metadata':
      return undefined;
  }
}

function headerKey({ name, match, isInverted, takesAbsentAsEmpty }: HeaderMatch): KeyParts | undefined {
  if (match === 'present' || isInverted || takesAbsentAsEmpty) return undefined;
  return textKey(`header ${name}`, match, (view) => view.lines(name));
}

function textKey(of: string, match: StringMatch, read: KeyParts['read']): KeyParts | undefined {
  const { kind, ignoresCase } = match;
  const text = byteText(match.value);
  if (ignoresCase) return undefined;
  if (kind === 'exact') return { reading: of, text, read };
  if (kind !== 'prefix' || text === '') return undefined;
  const beginning = (whole: string): string => whole.slice(0, text.length);
  return {
    reading: `${of}, ${text.length} characters`,
    text,
    read: (view) => {
      const whole = read(view);
      return typeof whole === 'string' ? beginning(whole) : whole.map(beginning);
    },
  };
}

function blockKey(
  of: string,
  { bytes, length }: { readonly bytes: readonly number[]; readonly length: number },
  read: (view: RequestView) => readonly number[],
): KeyParts {
  return {
    reading: `${of}, ${length} bits`,
    text: addressPrefix(bytes, length),
    read: (view) => addressPrefix(read(view), length),
  };
}

/** The first bits of an address, whole bytes first; equal for all addresses of a block of this length. */
function addressPrefix(bytes: readonly number[], length: number): string {
  const whole = length >> 3;
  const rest = length & 7;
  const text = bytes.slice(0, whole).join('.');
  return rest === 0 ? text : `${text}.${(bytes[whole] ?? 0) >> (8 - rest)}`;
}

import type { MetadataMatch, ValueMatch } from '../lift/matchers.ts';
import type { Condition, Leaf } from '../lift/rbac.ts';
import type { StringMatch } from '../model/string-match.ts';

type Joint = 'and' | 'or';

/** A condition in words, and what joins its outermost parts; undefined where it has no parts. */
interface Words {
  readonly text: string;
  readonly joint?: Joint;
}

/** Describes a condition in one line; parts that are joined in another way than the rest stand in parentheses. */
export function describe(condition: Condition): string {
  return wordsOf(condition).text;
}

function wordsOf(condition: Condition): Words {
  switch (condition.kind) {
    case 'any':
      return { text: 'anything' };
    case 'all': {
      const parts = condition.of.map(wordsOf).filter(({ text: part }) => part !== 'anything');
      return parts.length === 0 ? { text: 'anything' } : joined(parts, 'and');
    }
    case 'some': {
      const parts = condition.of.map(wordsOf);
      if (parts.some(({ text: part }) => part === 'anything')) return { text: 'anything' };
      return parts.length === 0 ? { text: 'nothing' } : joined(parts, 'or');
    }
    case 'not':
      return { text: `not (${describe(condition.of)})` };
    default:
      return leafWords(condition);
  }
}

function joined(parts: readonly Words[], joint: Joint): Words {
  const known = new Map(parts.map((part) => [part.text, part]));
  const [only] = known.values();
  if (known.size === 1 && only !== undefined) return only;
  const texts = [...known.values()].map(({ text: part, joint: own }) =>
    own === undefined || own === joint ? part : `(${part})`,
  );
  return { text: texts.join(` ${joint} `), joint };
}

function leafWords(leaf: Leaf): Words {
  switch (leaf.kind) {
    case 'header': {
      const { name, match, isInverted } = leaf.header;
      const plain = `${labelOf(name)} ${match === 'present' ? 'present' : text(match)}`;
      return { text: isInverted ? `not (${plain})` : plain };
    }
    case 'path':
      return { text: `path ${text(leaf.match)}` };
    case 'path-template':
      return { text: `path like ${leaf.template.text}` };
    case 'destination-ip':
      return { text: `destination in ${leaf.block.text}` };
    case 'destination-port':
      return { text: `port ${leaf.port}` };
    case 'direct-remote-ip':
      return { text: `peer address in ${leaf.block.text}` };
    case 'remote-ip':
      return { text: `client address in ${leaf.block.text}` };
    case 'server-name':
      return { text: `server name ${text(leaf.match)}` };
    case 'identity':
      return { text: leaf.match === 'any' ? 'any identity of the mesh' : `identity ${text(leaf.match)}` };
    case 'metadata':
      return valueWords(metadataLabel(leaf.metadata), leaf.metadata.value);
  }
}

function valueWords(label: string, value: ValueMatch): Words {
  switch (value.kind) {
    case 'text':
      return { text: `${label} ${text(value.match)}` };
    case 'range':
      return { text: `${label} from ${value.from} up to, not including, ${value.below}` };
    case 'present':
      return { text: `${label} present` };
    case 'some-element':
      return valueWords(`an element of ${label}`, value.of);
    case 'some':
      return joined(
        value.of.map((one) => valueWords(label, one)),
        'or',
      );
  }
}

/** Leaves the claims of a verified token. */
export const tokenFilter = 'envoy.filters.http.jwt_authn';

/** What people call a value that a filter has left: a claim of the token, if it is one. */
export function metadataLabel({ filter, path }: MetadataMatch): string {
  const [first, ...rest] = path;
  return filter === tokenFilter && first === 'payload' ? `claim ${rest.join('.')}` : `${filter} ${path.join('.')}`;
}

/** Describes a test of a text, without what it tests. */
export function text({ kind, value }: StringMatch): string {
  const verbs = { exact: 'is', prefix: 'begins with', suffix: 'ends with', contains: 'contains', regex: 'matches' };
  return `${verbs[kind]} ${JSON.stringify(value)}`;
}

const pseudo: ReadonlyMap<string, string> = new Map([
  [':method', 'method'],
  [':authority', 'host'],
  [':path', 'path'],
]);

/** What people call a header or pseudo header (lower case). */
export function labelOf(header: string): string {
  return pseudo.get(header) ?? `header ${header}`;
}

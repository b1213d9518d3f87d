import type { HeaderMatch, ValueMatch } from '../access/lift/matchers.ts';
import type { Condition, Leaf } from '../access/lift/rbac.ts';
import type { StringMatch } from '../access/model/string-match.ts';

/** All leaves of a condition. */
export function leavesOf(condition: Condition): readonly Leaf[] {
  switch (condition.kind) {
    case 'any':
      return [];
    case 'all':
    case 'some':
      return condition.of.flatMap(leavesOf);
    case 'not':
      return leavesOf(condition.of);
    default:
      return [condition];
  }
}

/** What a leaf asks for, and how. */
export function leafKind(leaf: Leaf): string {
  switch (leaf.kind) {
    case 'header':
      return headerKind(leaf.header);
    case 'path':
    case 'server-name':
      return `${leaf.kind} ${textKind(leaf.match)}`;
    case 'path-template':
      return `path-template${leaf.template.text.includes('**') ? ' with **' : ''}`;
    case 'identity':
      return `identity ${leaf.match === 'any' ? 'any' : textKind(leaf.match)}`;
    case 'metadata':
      return `metadata ${valueKind(leaf.metadata.value)}`;
    default:
      return leaf.kind;
  }
}

/** The same of a header. */
export function headerKind({ name, match, isInverted, takesAbsentAsEmpty }: HeaderMatch): string {
  const what = name.startsWith(':') ? name : 'header';
  const traits = [isInverted && 'inverted', takesAbsentAsEmpty && 'absent as empty'].filter((trait) => trait !== false);
  return [what, match === 'present' ? 'present' : textKind(match), ...traits].join(' ');
}

/** The same of a text. */
export function textKind({ kind, ignoresCase }: StringMatch): string {
  return `${kind}${ignoresCase ? ' in any case' : ''}`;
}

function valueKind(value: ValueMatch): string {
  switch (value.kind) {
    case 'text':
      return textKind(value.match);
    case 'some-element':
      return `list of ${valueKind(value.of)}`;
    case 'some':
      return `some of ${[...new Set(value.of.map(valueKind))].join(', ')}`;
    default:
      return value.kind;
  }
}

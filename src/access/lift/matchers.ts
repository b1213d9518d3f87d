import { StringMatch, type StringMatchKind } from '../model/string-match.ts';
import type { Message } from './message.ts';

const matcher = 'envoy.type.matcher.v3';

/** A test of one header, by the rules of Envoy's `HeaderMatcher`. */
export interface HeaderMatch {
  /** Lower case; pseudo headers with their colon. */
  readonly name: string;
  readonly match: StringMatch | 'present';
  readonly isInverted: boolean;
  /** Whether an absent header is compared as an empty value; else it never matches, inverted or not. */
  readonly takesAbsentAsEmpty: boolean;
}

/** A test of a value that a filter left: of a text, of a number, of a list's elements, or that there is one. */
export type ValueMatch =
  | { readonly kind: 'text'; readonly match: StringMatch }
  | { readonly kind: 'range'; readonly from: number; readonly below: number }
  | { readonly kind: 'present' }
  | { readonly kind: 'some-element'; readonly of: ValueMatch }
  | { readonly kind: 'some'; readonly of: readonly ValueMatch[] };

/** A test of what the filter of this name left at this path. */
export interface MetadataMatch {
  readonly filter: string;
  readonly path: readonly string[];
  readonly value: ValueMatch;
}

const kinds: readonly Exclude<StringMatchKind, 'regex'>[] = ['exact', 'prefix', 'suffix', 'contains'];

/** Envoy's `StringMatcher`; what it does not understand matches nothing and is a gap. */
export function liftStringMatch(message: Message): StringMatch {
  const ignoresCase = message.flag('ignore_case');
  for (const kind of kinds) if (message.has(kind)) return new StringMatch(kind, message.text(kind), ignoresCase);
  const regex = message.message('safe_regex', `${matcher}.RegexMatcher`);
  if (!regex.has('regex')) message.refuse('exact');
  return new StringMatch('regex', regex.text('regex'));
}

export function liftHeaderMatch(message: Message): HeaderMatch {
  if (message.has('present_match') && !message.flag('present_match')) message.refuse('present_match');
  return {
    name: message.text('name').toLowerCase(),
    match: message.has('string_match')
      ? liftStringMatch(message.message('string_match', `${matcher}.StringMatcher`))
      : 'present',
    isInverted: message.flag('invert_match'),
    takesAbsentAsEmpty: message.flag('treat_missing_header_as_empty'),
  };
}

/** Envoy's `MetadataMatcher`. */
export function liftMetadataMatch(message: Message): MetadataMatch {
  return {
    filter: message.text('filter'),
    path: message.messages('path', `${matcher}.MetadataMatcher.PathSegment`).map((segment) => segment.text('key')),
    value: liftValueMatch(message.message('value', `${matcher}.ValueMatcher`)),
  };
}

function liftValueMatch(message: Message): ValueMatch {
  if (message.has('string_match')) {
    return { kind: 'text', match: liftStringMatch(message.message('string_match', `${matcher}.StringMatcher`)) };
  }
  if (message.has('list_match')) {
    const list = message.message('list_match', `${matcher}.ListMatcher`);
    return { kind: 'some-element', of: liftValueMatch(list.message('one_of', `${matcher}.ValueMatcher`)) };
  }
  if (message.has('or_match')) {
    const some = message.message('or_match', `${matcher}.OrMatcher`);
    return { kind: 'some', of: some.messages('value_matchers', `${matcher}.ValueMatcher`).map(liftValueMatch) };
  }
  if (message.has('double_match')) return liftNumberMatch(message.message('double_match', `${matcher}.DoubleMatcher`));
  if (!message.flag('present_match')) message.refuse('present_match');
  return { kind: 'present' };
}

function liftNumberMatch(message: Message): ValueMatch {
  if (!message.has('range')) message.refuse('exact');
  const range = message.message('range', 'envoy.type.v3.DoubleRange');
  return { kind: 'range', from: range.number('start') ?? 0, below: range.number('end') ?? 0 };
}

import { RE2JS } from 're2js';

/** One operator of a format, such as `%REQ(X-ENVOY-ORIGINAL-PATH?:PATH):20%`. */
export interface LogOperator {
  /** `REQ`. */
  readonly name: string;
  /** In the parentheses, in lower case; empty without. */
  readonly argument: string;
  /** The value is cut after so many characters. */
  readonly limit: number | undefined;
}

/** A value of a line, by its operator; undefined where Envoy had none (`-`, or null). */
export interface LogValue {
  readonly operator: LogOperator;
  readonly value: string | undefined;
}

/** Why a line cannot be read as a format says: it has another form, or more than one reading. */
export type LineFault = 'other form' | 'ambiguous';

/** Reads lines of one text format of Envoy's access log. */
export class TextLogFormat {
  readonly #operators: readonly LogOperator[];
  readonly #isAlone: boolean;
  readonly #shortest: RE2JS;
  readonly #longest: RE2JS;

  constructor(format: string) {
    const parts = splitFormat(format.replace(/\n$/, ''));
    this.#operators = parts.filter((part) => typeof part !== 'string');
    this.#isAlone = parts.length === 1;
    this.#shortest = RE2JS.compile(patternOf(parts, '?'), RE2JS.DOTALL);
    this.#longest = RE2JS.compile(patternOf(parts, ''), RE2JS.DOTALL);
  }

  /**
   * The values of a line without its end. Envoy escapes nothing, so that a client's own text may look like the next field:
   * the line is refused where its values could be cut in another way.
   */
  read(line: string): readonly LogValue[] | LineFault {
    const shortest = this.#groupsOf(this.#shortest, line);
    const longest = this.#groupsOf(this.#longest, line);
    if (shortest === undefined || longest === undefined) return 'other form';
    if (shortest.some((text, i) => text !== longest[i])) return 'ambiguous';
    return this.#operators.map((operator, i) => logValueOf(operator, shortest[i] ?? ''));
  }

  /** A text that is the value of the only operator, without anything around it; undefined of other formats. */
  readAlone(text: string): readonly LogValue[] | undefined {
    const [operator] = this.#operators;
    if (!this.#isAlone || operator === undefined) return undefined;
    return [logValueOf(operator, text)];
  }

  /** Whether the format is one header, and nothing around it. */
  get isHeader(): boolean {
    const [operator] = this.#operators;
    return this.#isAlone && operator !== undefined && isHeader(operator);
  }

  #groupsOf(pattern: RE2JS, line: string): readonly string[] | undefined {
    const matcher = pattern.matcher(line);
    if (!matcher.matches()) return undefined;
    return this.#operators.map((_, i) => matcher.group(i + 1) ?? '');
  }
}

/** A header may be there and be empty; of all else, an empty text is none. */
function logValueOf(operator: LogOperator, text: string): LogValue {
  return { operator, value: text === '-' || (text === '' && !isHeader(operator)) ? undefined : text };
}

/** Pseudo headers, and one header in place of another, aside. */
function isHeader({ name, argument }: LogOperator): boolean {
  return name === 'REQ' && argument !== '' && !/[:?]/.test(argument);
}

type FormatPart = string | LogOperator;

function splitFormat(format: string): readonly FormatPart[] {
  const parts: FormatPart[] = [];
  let end = 0;
  for (const match of format.matchAll(/%%|%([A-Z0-9_]+)(?:\(([^)]*)\))?(?::(\d+))?%/g)) {
    parts.push(format.slice(end, match.index));
    end = match.index + match[0].length;
    const [whole, name, argument = '', limit] = match;
    if (whole === '%%' || name === undefined) parts.push('%');
    else {
      const cut = limit === undefined ? undefined : Number(limit);
      parts.push({ name, argument: argument.toLowerCase(), limit: cut });
    }
  }
  return [...parts, format.slice(end)].filter((part) => part !== '');
}

function patternOf(parts: readonly FormatPart[], lazy: '?' | ''): string {
  return parts.map((part) => (typeof part === 'string' ? quoted(part) : `(${valuePattern(part)}${lazy})`)).join('');
}

function quoted(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** What values can be: the closer, the fewer lines have two readings. */
function valuePattern({ name, argument }: LogOperator): string {
  if (/^(?:RESPONSE_CODE|BYTES_RECEIVED|BYTES_SENT|DURATION)$/.test(name)) return '-?\\d*';
  if (/ADDRESS$|^UPSTREAM_HOST$|^RESPONSE_FLAGS|^PROTOCOL$|^RESPONSE_CODE_DETAILS$/.test(name)) return '[^ "]*';
  if (name === 'CONNECTION_TERMINATION_DETAILS' || name === 'REQUESTED_SERVER_NAME') return '[^ "]*';
  if (name === 'START_TIME' && argument === '') return '[-0-9T:.Z]*';
  // The codec lets no blank and no control character into a method or a path.
  if (name === 'REQ' && /^(?::method|:path|x-envoy-original-path\?:path)$/.test(argument)) return '[^ ]*';
  return '.*';
}

import yaml from 'js-yaml';

/** What one document's plain scalars turned into; the document's keys are judged by it. */
export interface ScalarTally {
  /** Nulls and booleans. */
  words: number;
  /** Numbers whose JavaScript text is not their source text: `0x10`, `007`, `1.0`, `+1`, `1e3`. */
  oddNumbers: number;
}

const nullWords = new Set(['', '~', 'null', 'Null', 'NULL']);
const trueWords = new Set(['true', 'True', 'TRUE']);
const falseWords = new Set(['false', 'False', 'FALSE']);
const integer = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const float =
  /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** Plain scalars resolve as YAML 1.2.2 section 10.3.2 says, and to nothing else: no dates, no binary numbers, no merge keys. */
export function coreSchema(tally: ScalarTally): yaml.Schema {
  const scalar = (name: string, resolve: (text: string) => boolean, construct: (text: string) => unknown): yaml.Type =>
    new yaml.Type(`tag:yaml.org,2002:${name}`, { kind: 'scalar', resolve, construct });
  const word = <T>(value: T): T => {
    tally.words++;
    return value;
  };
  const number = (text: string): number => {
    const value = numberOf(text);
    if (String(value) !== text) tally.oddNumbers++;
    return value;
  };
  return yaml.FAILSAFE_SCHEMA.extend({
    implicit: [
      scalar(
        'null',
        (text) => text === null || nullWords.has(text),
        () => word(null),
      ),
      scalar(
        'bool',
        (text) => trueWords.has(text) || falseWords.has(text),
        (text) => word(trueWords.has(text)),
      ),
      scalar('int', (text) => startsNumber(text) && integer.test(text), number),
      scalar('float', (text) => startsNumber(text) && float.test(text), number),
    ],
  });
}

function startsNumber(text: string | null): text is string {
  if (text === null) return false;
  const first = text.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e;
}

function numberOf(text: string): number {
  if (text.startsWith('0o')) return Number.parseInt(text.slice(2), 8);
  const special = /^([-+]?)\.(?:(inf)|nan)$/i.exec(text);
  if (special === null) return Number(text);
  if (special[2] === undefined) return Number.NaN;
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

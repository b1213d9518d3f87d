import { nearest } from '../lib/nearest.ts';

/**
 * The known name that an unknown one was meant to be, where that is likelier than that the input leaves it out: one word
 * of it is spelt wrong, or its dashes are. Names that people number or letter (`team-a`, `team-b`, `db1`, `db2`) are
 * different names.
 */
export function misspelt(name: string, known: Iterable<string>): string | undefined {
  const candidates = [...known];
  const joined = (text: string): string => text.replaceAll(/[-_.]/g, '').toLowerCase();
  const respaced = candidates.find((candidate) => joined(candidate) === joined(name));
  if (respaced !== undefined) return respaced;
  return nearest(
    name,
    candidates.filter((candidate) => isOneWordOff(name, candidate)),
  );
}

function isOneWordOff(name: string, candidate: string): boolean {
  const words = name.split('-');
  const others = candidate.split('-');
  if (words.length !== others.length) return false;
  const different = words.flatMap((word, i) => (word === others[i] ? [] : [[word, others[i] ?? ''] as const]));
  const [pair] = different;
  if (pair === undefined || different.length > 1) return false;
  const [word, other] = pair;
  const withoutDigits = (text: string): string => text.replaceAll(/\d/g, '');
  return word.length > 3 && withoutDigits(word) !== withoutDigits(other) && nearest(word, [other]) !== undefined;
}

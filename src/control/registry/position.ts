import { contentVersion } from '../../xds/resource.ts';

/**
 * How far a registry has read its source. It is a list of numbers, one for each list of objects that is followed, and only of
 * a source that numbers its changes.
 */
export interface Position {
  /** Digest of what is followed: only numbers of the same lists can be compared. */
  readonly layout: string;
  /** Of the last change of each list that made something different; 0: there was none. */
  readonly changed: readonly number[];
  /** Everything up to these has been read; 0: nothing. */
  readonly read: readonly number[];
}

/** A longer text would be a burden in each response. */
const mostLists = 128;

export function layoutOf(lists: readonly string[]): string {
  return contentVersion(lists.join('\n')).slice(0, 8);
}

/** What a proxy keeps of the state that its configuration is of; undefined: nobody could compare it. */
export function positionText({ layout, changed }: Position): string | undefined {
  if (changed.length > mostLists || !changed.every(Number.isSafeInteger)) return undefined;
  return [layout, ...changed.map((number) => (number === 0 ? '' : number.toString(36)))].join('.');
}

/** Whether the state that a text names has changes that are not read here; false where the two cannot be compared. */
export function isBehind({ layout, read }: Pick<Position, 'layout' | 'read'>, text: string): boolean {
  const [of, ...numbers] = text.split('.', mostLists + 2);
  if (of !== layout || numbers.length !== read.length || !numbers.every((number) => numberForm.test(number)))
    return false;
  return numbers.some((number, list) => Number.parseInt(number || '0', 36) > (read[list] ?? 0));
}

/** At most 2^53. */
const numberForm = /^[0-9a-z]{0,10}$/;

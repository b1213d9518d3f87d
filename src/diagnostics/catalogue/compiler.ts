import { message } from '../message.ts';
import { error } from './entry.ts';

/** Faults that show only when objects meet: merging and lowering. */
export const compilerCodes = {
  'unsupported-kind': error(message`${'kind'} is not yet compiled`, 'remove the object from the inputs'),
};

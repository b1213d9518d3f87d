import { message } from '../message.ts';
import { error } from './entry.ts';

/** Faults of policy objects: their fields, their values, and the rules that one object must keep. */
export const policyCodes = {
  'unknown-field': error(message`unknown field "${'field'}" in ${'where'}`),
};

import { message } from '../message.ts';
import { error } from './entry.ts';

/** Faults of files and of YAML and JSON as such. */
export const sourceCodes = {
  'yaml-syntax': error(message`cannot read this as YAML: ${'reason'}`),
};

import { message } from '../message.ts';
import { error } from './entry.ts';

/** Faults of templates and of the rendered output. */
export const verifyCodes = {
  'output-invalid': error(message`rendered ${'resource'} is refused by Envoy's API at ${'path'}: ${'reason'}`),
};

import { message } from '../message.ts';
import { error } from './entry.ts';

/** Faults of the mesh configuration, the proxy configuration and environment variables. */
export const configCodes = {
  'invalid-variable': error(message`variable ${'name'} is "${'value'}", expected ${'expected'}`),
};

import { message } from '../message.ts';
import { error } from './entry.ts';

/** Faults of services, workloads and endpoints. */
export const topologyCodes = {
  'invalid-address': error(message`"${'value'}" is not an IP address`),
};

import { message } from '../message.ts';
import { error } from './entry.ts';

/** Faults that show only when objects meet: collecting, merging and lowering. */
export const compilerCodes = {
  'unsupported-kind': error(
    message`${'kind'} "${'name'}" is not yet compiled`,
    'leave it out of the inputs; what it says would not be enforced',
  ),
  'duplicate-object': error(message`${'kind'} "${'name'}" is defined twice`, 'keep one of the two definitions'),
  'unknown-workload': error(message`there is no workload "${'name'}" in the inputs`),
  'workload-without-proxy': error(
    message`workload "${'name'}" has no sidecar and is no gateway, so there is nothing to compile for it`,
    'label its namespace "mesh-injection: enabled" or its pod "sidecar.mesh.io/inject: \\"true\\""',
  ),
};

import { WorldFailure } from '../lib/failure.ts';

/** The output folder cannot be read or written, or holds what is not ours: the world's failure. */
export class OutputError extends WorldFailure<'output-busy' | 'output-not-ours' | 'output-unwritable'> {}

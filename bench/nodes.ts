import { resolve } from 'node:path';

/** The Node that the image has, and the oldest one that runs the programs: the build writes their compiled form for both. */
export const nodes = [
  { name: 'Node 24', path: resolve('.tools/bin/node') },
  { name: 'Node 22', path: resolve('.tools/bin/node22') },
] as const;

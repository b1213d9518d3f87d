import './scripts/tools/own-node.mjs';
import { defineConfig } from 'vitest/config';

// `make soak` tries so much more often that only its reader's patience bounds it.
const timeout = (ms: number): number => (process.env.SOAK === '1' ? 0 : ms);

/**
 * End-to-end tests that share nothing with any other (each has sockets and folders that nobody else names), wait more
 * than they compute, and hold nobody to a short time. Not those of `redirect`: beside another file the kernel takes as
 * much longer for their namespaces as would be gained.
 */
const apart = [
  'src/{compiler,schema}/**/*.e2e.ts',
  'src/library/*.e2e.ts',
  'src/{control,dns,jwks,sts,xds}/**/*.e2e.ts',
  'src/identity/**/!(watch*).e2e.ts',
];

const endToEnd = { pool: 'forks', testTimeout: timeout(180_000), hookTimeout: 180_000 } as const;

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,e2e,scripts}/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: timeout(120_000),
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e-apart',
          include: apart,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['{src,e2e}/**/*.e2e.ts'],
          exclude: apart,
          // Whole meshes, and what is measured: no request may fail for want of a processor.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

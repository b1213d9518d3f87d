import './scripts/tools/own-node.mjs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { alone, aloneOnClusters, onClusters } from './scripts/test/alone.ts';
import { LongestFirst } from './scripts/test/longest-first.ts';
import { onNewestNode } from './scripts/test/newest-node.ts';

// `make soak` tries so much more often that only its reader's patience bounds it.
const timeout = (ms: number): number => (process.env.SOAK === '1' ? 0 : ms);

const endToEndFiles = ['{src,e2e}/**/*.e2e.ts'];

const endToEnd = {
  setupFiles: 'e2e/testing/cpu-seconds.ts',
  pool: 'forks',
  testTimeout: timeout(180_000),
  hookTimeout: 180_000,
} as const;

/** A process for each file would load Vitest and the product anew: a third of a second of a processor. */
const besideOthers = { ...endToEnd, isolate: false } as const;

/** The first build of the API server takes about ten minutes of a processor. */
const untilBuilt = 1_800_000;

export default defineConfig({
  test: {
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    // What tests read beside the modules that they import: a change of it makes `--changed` run all of them.
    forceRerunTriggers: [
      ...['fixtures', 'golden', 'schemas', 'templates', 'examples', 'deploy'].map((folder) => `**/${folder}/**`),
      ...['**/package*.json', '**/tsconfig.json', '**/vitest.config.ts', '**/Makefile'],
    ],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,e2e,scripts}/**/*.test.ts'],
          exclude: process.env.TEST_RUN === 'floor' ? [...onNewestNode] : [],
          pool: 'threads',
          isolate: false,
          // Some wait for programs that they start. Vitest's default leaves one of two processors idle.
          maxWorkers: Math.ceil(1.5 * availableParallelism()),
          testTimeout: timeout(120_000),
          hookTimeout: timeout(120_000),
        },
      },
      {
        test: {
          ...besideOthers,
          name: 'e2e-apart',
          include: endToEndFiles,
          exclude: [...alone, ...onClusters],
          // Most wait more than they compute; with four, certificates and tokens that last seconds end before they are used.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e',
          include: [...alone],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...besideOthers,
          name: 'e2e-clusters',
          include: [...onClusters],
          exclude: [...aloneOnClusters],
          hookTimeout: untilBuilt,
          // They wait for half of their time and more.
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e-clusters-alone',
          include: [...aloneOnClusters],
          hookTimeout: untilBuilt,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});

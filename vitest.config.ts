import { defineConfig } from 'vitest/config';

// `make soak` tries so much more often that only its reader's patience bounds it.
const timeout = (ms: number): number => (process.env.SOAK === '1' ? 0 : ms);

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: timeout(120_000),
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['src/**/*.e2e.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: timeout(180_000),
          hookTimeout: 180_000,
        },
      },
    ],
  },
});

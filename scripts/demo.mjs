// The specification's outcome table on real Envoys, in network namespaces: see src/testbed/demo.ts.
process.argv[2] = 'src/testbed/demo.ts';
await import('./run-ts.mjs');
